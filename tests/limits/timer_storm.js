//! end: limit.time limit.memory
//! options: --timeout 200ms
setInterval(() => {}, 0);
function storm() { setTimeout(storm, 0); setTimeout(storm, 0) }
storm();
await new Promise(() => {});
