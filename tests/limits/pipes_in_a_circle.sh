#! end: done limit.time
#! options: --timeout 300ms
mkfifo a b; cat a > b & cat b > a & echo x > a; wait
