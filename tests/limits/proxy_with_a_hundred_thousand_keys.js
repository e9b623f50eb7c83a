//! end: limit.time
//! options: --timeout 300ms
const keys=Array.from({length:1e5},(_, i)=>"k"+i); const p=new Proxy({}, {ownKeys:()=>keys, getOwnPropertyDescriptor:()=>({configurable:true,enumerable:true,value:1})}); for(;;) Object.entries(p)
