//! end: done
//! value: 1
//! options: --timeout 60s
return 1;
