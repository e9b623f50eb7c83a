//! end: limit.time
//! options: --timeout 300ms
Error.prepareStackTrace=(e)=>{for(;;);}; null.x
