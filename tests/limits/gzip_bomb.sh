#! end: limit.time
#! options: --timeout 300ms
head -c 50000000 /dev/zero | gzip -9 | gzip -9 > b.gz; while :; do gzip -dc b.gz | gzip -dc | wc -c; done
