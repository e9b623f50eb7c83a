cloche check: what would be decided about one call, and why. Nothing runs.

$ cat > c.json <<'E'
> { "tools": [ { "name": "pay/refund", "input_schema": { "type": "object",
>     "properties": { "amount": { "type": "integer" } }, "required": ["amount"] },
>     "command": ["touch", "it-ran"] },
>   { "name": "pay/list" }, { "name": "pay/close" } ],
>   "policy": { "rules": [
>     { "pattern": "pay/list", "effect": "allow" },
>     { "pattern": "pay/refund", "effect": "ask", "reason": "large refunds are looked at",
>       "where": { "amount": { ">": 10000 } } },
>     { "pattern": "pay/refund", "effect": "allow", "where": { "amount": { "<=": 10000 } } } ] } }
> E
$ cloche check --config c.json --call '{"method": "pay/list", "params": {}}' | head -1
allow<...>
$ cloche check --config c.json --call '{"method": "pay.list"}' | head -1
allow<...>
$ cloche check --config c.json --call '{"method": "pay/list"}' > out
$ cloche check --config c.json --call '{"method": "pay/refund", "params": {"amount": 20000}}' > out
[3]
$ head -1 out; grep looked out
ask<...>
<...>large refunds are looked at<...>
$ echo '{"method": "pay/close"}' | cloche check --config c.json --call - > out
[1]
$ head -1 out
deny<...>
$ cloche check --config c.json --call '{"method": "pay/refund", "params": {"amount": "7"}}' > out
[1]
$ head -1 out; grep -c amount out
deny<...>
1
$ cloche check --config c.json --call '{"method": "pay/refnud", "params": {"amount": 7}}' > out
[1]
$ head -1 out; grep -c 'pay/refund' out
deny<...>
1
$ cloche check --config c.json --json --call '{"method": "pay/list"}' | jq -c .effect
"allow"

# Doubts about a policy.
$ cloche check --config c.json --lint
<...>
[1]
$ echo '{ "tools": [ { "name": "a" } ], "policy": { "rules": [ { "pattern": "a", "effect": "allow", "max_calls": 3 } ] } }' > sure.json
$ cloche check --config sure.json --lint
$ cloche check --config sure.json --lint --call '{}'
! cloche: --call asks about a call, --lint about the whole policy; one at a time
[2]
$ test -e it-ran
[1]

# Names that a program already uses for something else: nothing is wrong with the policy.
$ cat > names.json <<'E'
> { "tools": [ { "name": "fs/write" }, { "name": "fs/read" }, { "name": "console/log" }, { "name": "delete/odd-name" }, { "name": "stripe/delete" } ],
>   "policy": { "rules": [ { "pattern": "stripe/delete", "effect": "allow", "max_calls": 3 }, { "pattern": "fs/*", "effect": "allow", "max_calls": 3 },
>     { "pattern": "console/log", "effect": "allow", "max_calls": 3 }, { "pattern": "delete/odd-name", "effect": "allow", "max_calls": 3 } ] } }
> E
$ cloche check --config names.json --lint
JavaScript has console itself: a program calls console/log as tools.console.log.
JavaScript has delete itself: a program calls delete/odd-name as tools["delete/odd-name"].
JavaScript has fs itself: a program calls fs/read (and 1 more) as tools.fs.read.
[1]
$ cloche check --config names.json --lint --json | jq -r '.[].code' | sort | uniq -c
      3 javascript_name
$ cloche tools --config names.json --types | grep const
declare const tools: {
declare const stripe: typeof tools.stripe;
$ cloche sh --config names.json -c 'tool --help fs.read' | head -1
<...>fs.read<...>

# The question itself.
$ cloche check --config c.json
! cloche: --call JSON is missing; see cloche check --help
[2]
$ cloche check --call '{"method": "a"}'
! cloche: --config FILE is missing; see cloche check --help
[2]
$ cloche check --config c.json --call '{"method": '
! cloche: --call:1:12: <...>
[2]
$ cloche check --config c.json --call '{"methd": "a"}'
! cloche: --call wants {"method": "a/b", "params": {...}} and nothing else
[2]
$ cloche check --config c.json --call '{"method": "a", "params": {}, "now": 1}'
! cloche: --call wants {"method": "a/b", "params": {...}} and nothing else
[2]
$ cloche check --config c.json --call '{"method": "pay/list", "params": [1]}' | head -1
deny<...>

# A policy that is wrong is wrong at a place in the file.
$ cat > bad.json <<'E'
> { "tools": [ { "name": "b" }, { "name": "a" } ],
>   "policy": { "rules": [
>     { "pattern": "a", "efect": "allow" } ] } }
> E
$ cloche check --config bad.json --call '{"method": "a"}'
! cloche: bad.json:3:23: /policy/rules/0/efect: <...>did you mean "effect"?
[2]
$ cat > bad.json <<'E'
> { "tools": [ { "name": "b" }, { "name": "a", "input_schema": { "type": "strin" } } ] }
> E
$ cloche run --config bad.json -e 'return 1'
! cloche: bad.json:1:64: /tools/1/input_schema/type: <...>
[2]
$ cat > bad.json <<'E'
> { "tools": [ { "name": "payment" } ], "policy": { "rules": [ { "pattern": "paymnet", "effect": "allow" } ] } }
> E
$ cloche run --config bad.json -e 'return 1'
! cloche: bad.json:1:<...>: /policy/rules/0/pattern: <...>payment<...>
[2]
