//! end: exception limit.time
//! options: --timeout 300ms
const fs=require("fs"); let p="/workspace"; for(;;){ p+="/d"; fs.mkdirSync(p) }
