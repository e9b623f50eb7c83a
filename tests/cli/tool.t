The shell's command `tool`: what its options become, what it answers, and the ways in which it refuses.

$ cat > c.json <<'E'
> { "tools": [
>   { "name": "shop/orders/create", "description": "Make an order.\nMore.",
>     "input_schema": { "type": "object",
>       "properties": { "amount": { "type": "integer", "description": "in cents" },
>         "price": { "type": "number" }, "currency": { "enum": ["USD", "EUR"] },
>         "rush": { "type": "boolean" }, "note": { "type": ["string", "null"] },
>         "items": { "type": "array", "items": { "type": "string" } },
>         "sizes": { "type": "array", "items": { "type": "integer" } },
>         "meta": { "type": "object", "properties": { "k": { "type": "string" }, "n": { "type": "integer" } } },
>         "max_items": { "type": "integer" }, "id": { "type": "string" }, "any": {},
>         "either": { "anyOf": [ { "type": "integer" }, { "type": "string" } ] } },
>       "required": ["amount"] }, "command": ["cat"] },
>   { "name": "echo", "command": ["cat"] },
>   { "name": "shop/items/find", "command": ["cat"] },
>   { "name": "lib/find", "command": ["cat"] },
>   { "name": "shop/items/pick", "command": ["cat"] },
>   { "name": "lib/pick", "command": ["cat"] },
>   { "name": "secret/read", "command": ["cat"] },
>   { "name": "shop/fail", "command": ["sh", "-c", "echo '{\"error\":{\"message\":\"card declined\",\"code\":\"declined\"}}'; exit 7"] },
>   { "name": "shop/slow", "command": ["sh", "-c", "sleep 0.5; cat"] },
>   { "name": "shop/text", "command": ["echo", "\"plain text\""] } ],
>   "policy": { "rules": [ { "pattern": "**", "effect": "allow" }, { "pattern": "secret/**", "effect": "deny" } ] } }
> E
$ echo 'cloche sh --config c.json -c "$1"' > t.sh

# One name in three spellings, and by its last part.
$ sh t.sh 'tool shop.orders.create --amount 500 --currency USD; tool shop/orders/create --amount 1; tool mcp:shop.orders.create --amount 2; create --amount 3'
{"amount":500,"currency":"USD"}
{"amount":1}
{"amount":2}
{"amount":3}

# The schema says what a text becomes.
$ sh t.sh 'create --amount 1 --price 2.50 --rush --note null'
{"amount":1,"price":2.50,"rush":true,"note":null}
$ sh t.sh 'create --amount -7 --no-rush --id 0012 --note x --any 12 --either 5'
{"amount":-7,"rush":false,"id":"0012","note":"x","any":12,"either":5}
$ sh t.sh 'create --amount 1 --rush false --either abc --any "{\"a\":[1]}" --max-items 3 --id=a=b'
{"amount":1,"rush":false,"either":"abc","any":{"a":[1]},"max_items":3,"id":"a=b"}
$ sh t.sh 'create --amount 1 --items a --items b --sizes 1 --sizes 2; create --amount 1 --items "[\"x\",\"y\"]" --items z'
{"amount":1,"items":["a","b"],"sizes":[1,2]}
{"amount":1,"items":["x","y","z"]}
$ sh t.sh 'create --amount 1 --meta.k 5 --meta.n 7'
{"amount":1,"meta":{"k":"5","n":7}}
$ sh t.sh 'create --amount 99999999999999999999 --price 1e400'
{"amount":99999999999999999999,"price":1e400}

# Without a schema, what reads as JSON is that.
$ sh t.sh 'tool echo --a 1 --b true --c null --d x --e 1.0 --f.g.h 2 --h "" --i -5 --j "[1,2]" --k 007'
{"a":1,"b":true,"c":null,"d":"x","e":1.0,"f":{"g":{"h":2}},"h":"","i":-5,"j":[1,2],"k":"007"}

# The whole argument at once.
$ sh t.sh 'create --json "{\"amount\":9}" --id x; echo "{\"amount\":8}" | create --json -; create --amount 7 > f; tool echo --json - < f'
{"amount":9,"id":"x"}
{"amount":8}
{"amount":7}

# Wrong usage is status 2, and no call is made.
$ sh t.sh 'create --amount abc'
! tool: shop.orders.create: --amount: 'abc' is not of type integer
[2]
$ sh t.sh 'create --amount 1 --sizes x'
! tool: shop.orders.create: --sizes: 'x' is not of type integer
[2]
$ sh t.sh 'create'
! tool: shop.orders.create: --amount is required
[2]
$ sh t.sh 'create --amount'
! tool: shop.orders.create: --amount wants a value
[2]
$ sh t.sh 'create --meta.other z --amount 1'
! tool: shop.orders.create: there is no option --meta.other; known are: --k, --n
[2]
$ sh t.sh 'create amount 1'
! tool: shop.orders.create: options look like --NAME VALUE; what is 'amount'?
[2]
$ sh t.sh 'create --json "[1]"'
! tool: shop.orders.create: --json wants an object
[2]
$ sh t.sh 'create --json "{bad"'
! tool: shop.orders.create: --json is not valid JSON, at byte 2
[2]
$ sh t.sh 'tool nosuch --a 1'
! tool: there is no tool 'nosuch'; `tool --list` shows those there are
[2]
$ sh t.sh 'tool' 2>&1; cloche sh --config c.json --json -c 'create --amount x; tool; tool nosuch; pick' | jq .usage.calls
Usage: tool NAME [--OPTION VALUE]... [--json OBJECT|-]
   or: tool --list [PREFIX]
   or: tool --help NAME
0

# A last name that two tools share is no command.
$ sh t.sh 'pick --q x'
! bash: line 1: pick: command not found
[127]
$ sh t.sh 'tool pick --q x'
! tool: 'pick' may be any of shop.items.pick, lib.pick; write the whole name
[2]
$ sh t.sh 'find . -maxdepth 0; type create find echo'
.
create is the tool shop.orders.create
find is /usr/bin/find
echo is a shell builtin

# A denial or a failure is status 1.
$ sh t.sh 'tool secret.read || echo denied=$?'
! tool: secret.read: CapabilityError: The rule "secret/**" denies it.
denied=1
$ sh t.sh 'x=$(tool shop.fail); echo "$? [$x]"; tool shop.text | jq -r .'
! tool: shop.fail: ToolError: card declined
1 []
plain text
$ cloche sh -c 'tool shop.text'
! tool: shop.text: CapabilityError: <...>
[1]

# Lists and help.
$ sh t.sh 'tool --list; tool --list shop.o'
shop.orders.create               Make an order.
echo
shop.items.find
lib.find
shop.items.pick
lib.pick
shop.fail
shop.slow
shop.text
shop.orders.create               Make an order.
$ sh t.sh 'tool --help shop.orders.create; create --help | cmp - <(tool --help create)'
Usage: tool shop.orders.create --amount VALUE [--NAME VALUE]... [--json OBJECT|-]
Make an order.
More.
  --amount                   integer: in cents
  --price                    number
  --currency                 USD or EUR
  --rush                     boolean
  --note                     string or null
  --items                    array of string
  --sizes                    array of integer
  --meta                     object
  --max_items                integer
  --id                       string
  --any                      any
  --either                   string or integer

# Loops, pipelines, other commands, and several at once.
$ sh t.sh 'seq 3 | while read x; do tool echo --n $x; done | jq -c .n | paste -sd,'
1,2,3
$ sh t.sh 'env create --amount 3; echo 7 | xargs create --amount; find . -maxdepth 0 -exec create --amount 4 \;; timeout 5 create --amount 5'
{"amount":3}
{"amount":7}
{"amount":4}
{"amount":5}
$ date +%s%N > from; sh t.sh 'seq 8 | xargs -P 8 -I{} tool shop.slow --n {} | sort | paste -sd" "; for i in 1 2 3 4; do slow --n $i & done | sort; wait; echo all' | sed 's/"//g'; [ $(( ($(date +%s%N) - $(cat from)) / 1000000 )) -lt 4000 ] && echo at once
{n:1} {n:2} {n:3} {n:4} {n:5} {n:6} {n:7} {n:8}
{n:1}
{n:2}
{n:3}
{n:4}
all
at once
$ sh t.sh 'for i in 1 2; do create --amount $i > $i & pids="$pids $!"; done; for p in $pids; do wait $p; echo $?; done; cat 1 2; create --amount x & wait $!; echo $?'
! tool: shop.orders.create: --amount: 'x' is not of type integer
0
0
{"amount":1}
{"amount":2}
2
