A run's ledger, and what verify says when somebody has been at it.

$ cat > c.json <<'E'
> { "tools": [ { "name": "pay", "command": ["cat"] } ],
>   "policy": { "rules": [ { "pattern": "pay", "effect": "allow", "where": { "amount": { "<=": 5 } } } ] } }
> E
$ cloche run --config c.json --ledger l -e 'await pay({ amount: 1 }); try { await pay({ amount: 9 }) } catch {} return 1'
1
$ cloche ledger verify l
<...>
$ cloche ledger verify l --json | jq -c '[.ok, .closed, .records > 3, .line]'
[true,true,true,null]

# Lines cut off the end are missed.
$ sed '$d' l > cut; cloche ledger verify cut --json | jq -c '[.ok, .closed]'; cloche ledger verify cut
[true,false]
<...>; the last is no "close", so lines may be missing at the end.

# A second run goes on with the chain.
$ cloche run --config c.json --ledger l --ledger-sync call -e 'return (await pay({ amount: 2 })).amount'
2
$ cloche ledger verify l --json | jq -c '[.ok, .closed]'; jq -r .kind l | grep -c '^close$'
[true,true]
2

# Stopped, or ended before it began: closed as well.
$ cloche run --ledger tl --timeout 50ms -e 'for (;;);'
! <...>
[124]
$ cloche ledger verify tl --json | jq -c '[.ok, .closed]'
[true,true]
$ cloche run --ledger tl --mount nosuch:/x -e 1
! <...>
[2]
$ cloche ledger verify tl --json | jq -c '[.ok, .closed]'
[true,true]

# An answer over several lines is one line of the ledger.
$ echo '{ "tools": [ { "name": "pretty", "command": ["printf", "{\\n  \"a\": [\\r\\n1 ]\\n}\\n"] } ], "policy": { "rules": [ { "pattern": "**", "effect": "allow" } ] } }' > p.json
$ cloche run --config p.json --ledger pl -e 'return (await pretty({})).a[0]'
1
$ jq -c 'select(.kind == "settle").result' pl; cloche ledger verify pl --json | jq -c .ok
{"a":[1]}
true

# A changed byte, a line removed, two lines swapped.
$ sed 's/"amount":1/"amount":2/' l > changed; cloche ledger verify changed > out
[1]
$ cloche ledger verify changed --json | jq -c '[.ok, .line > 0]'
[false,true]
$ sed 3d l > removed; cloche ledger verify removed > out
[1]
$ sed '3{h;d};4G' l > swapped; cloche ledger verify swapped > out
[1]

# One that cannot be written: nothing runs.
$ cloche run --ledger . -e 'return 1'
! cloche: the ledger . cannot be written: <...>
[2]
$ cloche run --ledger /dev/full -e 'return 1'
! <...>
[125]
$ echo '{"not": "one of ours"' > other; cloche run --ledger other -e 'return 1'
! cloche: the ledger other cannot be written: <...>
[2]
$ cloche run --ledger l --ledger-sync sometimes -e 1
! cloche: --ledger-sync sometimes: call, group or none is wanted
[2]
$ cloche ledger verify nosuch
! cloche: the ledger nosuch cannot be read: No such file or directory
[2]
$ cloche ledger
! cloche: cloche ledger verify FILE is what there is; see cloche ledger --help
[2]
