#! end: done limit.time
#! options: --timeout 300ms
awk 'BEGIN { $100000000 = 1 }'
