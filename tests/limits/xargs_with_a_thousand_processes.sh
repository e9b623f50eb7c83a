#! end: limit.memory limit.time done
#! options: --timeout 300ms
yes | xargs -n1 -P 1000 sh -c "yes | head -1000000 >/dev/null" 
