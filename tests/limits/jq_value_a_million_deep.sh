#! end: done limit.time
#! options: --timeout 300ms
jq -n "reduce range(1000000) as $i (0; [.])" | wc -c
