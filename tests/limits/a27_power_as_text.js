//! end: limit.time done
//! options: --timeout 500ms
return (2n ** 1000000n).toString().length;
