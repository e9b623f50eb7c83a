//! end: limit.time limit.memory
//! options: --timeout 300ms
const a=new Uint8Array(6e7); for(;;){ a.reverse(); a.fill(1); a.indexOf(2); a.slice(); }
