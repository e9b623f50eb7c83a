//! end: limit.time
//! options: --timeout 300ms
const it={[Symbol.asyncIterator](){return {next:()=>Promise.resolve({value:1,done:false})}}}; let n=0; for await(const x of it) n++
