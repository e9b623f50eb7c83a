What is measured, not how fast: figures are this machine's.

$ cloche bench --json > b; jq -c '["call", "fresh_mapped", "fresh_reused", "fresh_reused_pagemap", "fresh_threads", "process", "suspended", "throughput_16"] - keys' b
[]
$ jq -c '[.call, .fresh_mapped, .fresh_reused, .fresh_threads, .process] | all(.median_ns > 0 and .p99_ns >= .median_ns)' b
true
$ jq -c '[(.throughput_16 | .value > 0, .unit), (.suspended | .value > 0, .unit)]' b
[true,"runs/s",true,"KiB"]
