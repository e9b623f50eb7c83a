//! end: limit.time
//! options: --timeout 300ms
return /(?<=(a+)+)b/.exec("a".repeat(50000)+"c")
