//! end: done limit.memory
//! options: --timeout 60s
Promise.resolve().then(() => { const a = []; for (let i = 0; i < 200000; i++) a.push({ i }) });
