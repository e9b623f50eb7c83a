//! end: limit.memory
//! options: --timeout 100s
const kept = [];
setInterval(() => { for (let i = 0; i < 1e6; i++) kept.push(i) }, 10);
await new Promise(() => {});
