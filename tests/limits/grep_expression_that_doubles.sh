#! end: done limit.time
#! options: --timeout 300ms
printf "%05000d" 0 | grep -P "^(0+)+1$"
