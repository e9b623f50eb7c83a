#! end: limit.time
#! options: --timeout 300ms
trap "while :; do :; done" EXIT; exit 0
