//! end: limit.time
//! options: --timeout 300ms
return /^(a+)+\1+$/.exec("a".repeat(40)+"!")
