//! end: limit.time limit.memory
//! options: --timeout 1s
//! why: A1
return new Array(1_000_000_000) + '';
