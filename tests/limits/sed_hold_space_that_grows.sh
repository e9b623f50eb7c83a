#! end: limit.time
#! options: --timeout 300ms
yes | sed "H;x;G;x"
