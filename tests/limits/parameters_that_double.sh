#! end: limit.time limit.memory
#! options: --timeout 300ms
f(){ f "$@" "$@"; }; f 1
