//! end: limit.time
//! options: --timeout 300ms
return /(?<=(a+)+)b/.exec("a".repeat(5000)+"c")
