//! end: exception limit.time
//! options: --timeout 300ms
const fs=require("fs"); const h=fs.openSync("/workspace/x","w+"); for(let n=1;;n*=2) fs.writeSync(h,"x",n)
