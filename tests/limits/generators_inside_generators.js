//! end: limit.stack limit.time
//! options: --timeout 300ms
function* g(n){ if(n) yield* g(n-1); yield n } let s=0; for (const x of g(1e5)) s+=x; return s
