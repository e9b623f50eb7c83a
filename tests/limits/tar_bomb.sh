#! end: limit.time limit.memory done
#! options: --timeout 300ms
head -c 30000000 /dev/zero > z; for i in 1 2 3 4 5 6 7 8 9; do tar czf a$i.tgz z; done; while :; do tar xzf a1.tgz; done
