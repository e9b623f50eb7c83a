A tool that is better not called at all than twice.

$ cat > c.json <<'E'
> { "tools": [ { "name": "pay", "command": ["sh", "-c", "x=$(cat); echo \"$x\" >> paid; echo \"$x\""], "once": true } ],
>   "policy": { "rules": [ { "pattern": "pay", "effect": "ask" } ] } }
> E
$ echo 'try { await pay({ n: 1 }); return await pay({ n: 2 }); } catch (e) { return e.code; }' > p.js
$ cloche run --config c.json --accounts a --snapshot s p.js 2> /dev/null
[3]
$ cloche resume --config c.json --accounts a --snapshot t s --approve 1 2> /dev/null
[3]
$ cat paid
{"n":1}

# The same snapshot again, and a copy of it: the call has the same key, and is not made.
$ cp s copy; for f in s copy; do cloche resume --config c.json --accounts a $f --approve 1; done
interrupted
interrupted
! cloche: pay was called before under the key <...>, or that cannot be known: refused
! cloche: pay was called before under the key <...>, or that cannot be known: refused
$ cloche resume --config c.json --accounts a t --approve all
{"n":2}
$ cat paid
{"n":1}
{"n":2}

# Killed in the middle of the call: whether it was made is not known, so it is not made again.
$ jq '.tools[0].command = ["sh", "-c", "echo started >> paid; kill -9 $PPID"]' c.json > kill.json
$ cloche run --config c.json --accounts a --snapshot u p.js 2> /dev/null
[3]
$ cloche resume --config kill.json --accounts a u --approve 1 2> /dev/null
[137]
$ cloche resume --config c.json --accounts a u --approve 1 2> /dev/null
interrupted
$ tail -1 paid
started

# Without the key in the configuration it is made again; so it is without an account.
$ jq 'del(.tools[0].once)' c.json > d.json
$ cloche resume --config d.json --accounts a --snapshot v u --approve 1 2> /dev/null
[3]
$ cloche run --config c.json --snapshot w p.js 2> /dev/null
[3]
$ for i in 1 2; do cloche resume --config c.json --snapshot v w --approve 1 2> /dev/null; done
[3]
$ tail -3 paid
{"n":1}
{"n":1}
{"n":1}
$ jq '.tools[0].once = 1' c.json > e.json; cloche tools --config e.json
! cloche: e.json:<...>: /tools/0/once: true or false is wanted, not a number
[2]
