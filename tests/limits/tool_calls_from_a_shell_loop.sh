#! end: limit.time
#! options: --timeout 300ms
#! calls: 1000000
while :; do tool ping --n 1; done >/dev/null
