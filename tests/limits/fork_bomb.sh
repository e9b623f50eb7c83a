#! end: done limit.time
#! options: --timeout 300ms
:(){ :|:& };:; wait
