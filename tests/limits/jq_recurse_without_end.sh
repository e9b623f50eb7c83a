#! end: limit.time
#! options: --timeout 300ms
jq -n "[recurse(.+1; true)] | length"
