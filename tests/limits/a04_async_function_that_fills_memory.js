//! end: limit.memory
//! options: --timeout 100s
async function run() { await 0; const a = []; for (;;) a.push({ k: 'v' }) }
run();
await new Promise(() => {});
