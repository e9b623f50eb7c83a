What is spent in one run counts in the next, when both are given the same file.

$ cat > c.json <<'E'
> { "tools": [ { "name": "pay", "command": ["cat"] }, { "name": "slow", "command": ["sh", "-c", "echo $PPID > it; sleep 30"] } ],
>   "policy": { "rules": [
>     { "pattern": "pay", "effect": "allow", "max_calls": 3, "total": { "amount": { "<=": 100 } } },
>     { "pattern": "slow", "effect": "allow", "max_concurrent": 1 } ] } }
> E
$ cat > pay.js <<'E'
> try { await pay({ amount: 40 }); return "paid"; } catch (error) { return error.code; }
> E
$ for i in 1 2 3; do cloche run --config c.json pay.js; done
paid
paid
paid
$ for i in 1 2 3; do cloche run --config c.json --accounts spent pay.js; done
paid
paid
budget

# What is left can be asked about, and asking takes nothing.
$ cloche check --config c.json --accounts spent --call '{"method": "pay", "params": {"amount": 20.01}}' | head -1
deny <...>
$ cloche check --config c.json --accounts spent --call '{"method": "pay", "params": {"amount": 20}}' | head -1
allow <...>
$ cloche check --config c.json --accounts spent --call '{"method": "pay", "params": {"amount": 20}}' --json | jq -r .effect
allow

# Eight runs at once: two payments fit.
$ for i in 1 2 3 4 5 6 7 8; do cloche run --config c.json --accounts many pay.js > paid.$i & done; wait; cat paid.* | sort | uniq -c | sed 's/^ *//'
6 budget
2 paid

# A run that is killed in the middle of a call: the call stays charged, and is no longer under way.
$ cloche run --config c.json --accounts killed -e 'await slow({})' 2> errors & while [ ! -s it ]; do sleep 0.05; done; cloche check --config c.json --accounts killed --call '{"method": "slow"}' | head -1; kill -9 $(cat it); wait $! 2> killed.by; cloche check --config c.json --accounts killed --call '{"method": "slow"}' | head -1
deny <...>
allow <...>

# A file that is something else, or cannot be made.
$ echo 'no database, this' > other; cloche run --accounts other -e 'return 1'
! cloche: the accounts in other cannot be used: the file is damaged, or holds something else
[2]
$ cloche run --accounts none/there -e 'return 1'
! cloche: the accounts in none/there cannot be used: No such file or directory
[2]

# A call that waits for a person holds its budget; resumed twice, it is made once.
$ echo '{ "tools": [ { "name": "pay", "command": ["cat"] } ], "policy": { "rules": [ { "pattern": "pay", "effect": "ask", "max_calls": 1 } ] } }' > ask.json
$ cloche run --config ask.json --accounts asked --snapshot s.snap -e 'try { return await pay({ amount: 1 }) } catch (error) { return error.code }' 2> errors < /dev/null
[3]
$ cloche check --config ask.json --accounts asked --call '{"method": "pay"}' | head -1
deny pay (budget)
$ cloche snapshot info s.snap --json | jq -r '.pending[0].id' > id
$ for i in 1 2; do cloche resume --config ask.json --accounts asked s.snap --approve $(cat id) < /dev/null; done
{"amount":1}
budget

# Without the account it cannot be resumed: the budget would be whole again.
$ cloche resume --config ask.json s.snap --approve $(cat id) < /dev/null
! cloche: s.snap: the snapshot's spending is in the account <...>
[2]
