#! end: limit.time
#! options: --timeout 300ms
mkdir d; cd d; for i in {1..3000}; do > $i; done; while :; do echo */../*/../* ; done >/dev/null 2>&1
