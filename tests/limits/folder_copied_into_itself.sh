#! end: limit.time
#! options: --timeout 300ms
mkdir -p d/e; while :; do cp -r d d/e/; done
