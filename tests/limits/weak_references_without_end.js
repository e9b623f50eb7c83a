//! end: limit.time limit.memory
//! options: --timeout 300ms
const r=new FinalizationRegistry(()=>{}); const a=[]; for(let i=0;;i++){const o={i}; r.register(o,i,o); a.push(new WeakRef(o)); if(i%1000==0) a.length=0}
