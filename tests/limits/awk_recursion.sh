#! end: done limit.time
#! options: --timeout 300ms
awk "function f(n) { return f(n+1) } BEGIN { f(0) }"
