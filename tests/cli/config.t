The configuration: what is wrong with it is said with file, line and column, and nothing runs.

$ cat > broken.json <<'E'
> {
>   "tools": [
>     { "name": "a", "command": ["true"] },
>   ]
> }
> E
$ cloche run --config broken.json -e 1
! cloche: broken.json:4:3: <...>
[2]
$ printf '{"tools": []' > cut.json; cloche run --config cut.json -e 1
! cloche: cut.json:1:13: <...>
[2]
$ : > empty.json; cloche run --config empty.json -e 1
! cloche: empty.json:1:1: <...>
[2]
$ printf '{"tools": [], "tools": []}' > twice.json; cloche run --config twice.json -e 1
! cloche: twice.json:1:<...>
[2]
$ printf '{"tools": ["\377"]}' > bytes.json; cloche run --config bytes.json -e 1
! cloche: bytes.json:1:13: <...>
[2]
$ printf '{"a": 1\0}' > nul.json; cloche run --config nul.json -e 1
! cloche: nul.json:1:8: <...>
[2]
$ echo '[1]' > array.json; cloche run --config array.json -e 1
! cloche: array.json:1:1: an object is wanted, not an array
[2]
$ python3 -c 'print("[" * 100000)' > deep.json; cloche run --config deep.json -e 1
! cloche: deep.json:1:<...>
[2]

# Fields that are not known, at every depth.
$ cat > fields.json <<'E'
> { "tools": [],
>   "polciy": {} }
> E
$ cloche run --config fields.json -e 1
! cloche: fields.json:2:3: /polciy: there is no such field; did you mean "policy"?
[2]
$ cat > fields.json <<'E'
> { "tools": [ { "name": "ä", "command": ["true"] },
>   { "name": "b", "comand": ["true"] } ] }
> E
$ cloche run --config fields.json -e 1
! cloche: fields.json:2:18: /tools/1/comand: there is no such field; did you mean "command"?
[2]
$ echo '{ "limits": { "tiemout": "5s" } }' > l.json; cloche run --config l.json -e 1
! cloche: l.json:1:15: /limits/tiemout: there is no such limit; did you mean "timeout"?
[2]
$ echo '{ "frobnicate/me~": 1 }' > f.json; cloche run --config f.json -e 1
! cloche: f.json:1:3: /frobnicate~1me~0: there is no such field.
[2]

# Values of another kind.
$ echo '{ "tools": {} }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:3: /tools: an array is wanted, not an object
[2]
$ echo '{ "tools": [ 7 ] }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:14: /tools/0: an object is wanted, not a number
[2]
$ echo '{ "tools": [ { "description": "x" } ] }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:14: /tools/0: "name" is missing, a string
[2]
$ echo '{ "tools": [ { "name": "a", "command": [] } ] }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:29: /tools/0/command: a command needs at least the program's name
[2]
$ echo '{ "tools": [ { "name": "a", "command": ["x", 1] } ] }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:46: /tools/0/command/1: a string without U+0000 is wanted
[2]
$ echo '{ "tools": [ { "name": "a", "timeout": "soon" } ] }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:29: /tools/0/timeout: a duration is wanted, such as 500ms, 5s, 2m or none
[2]
$ echo '{ "env": { "A": 1 } }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:12: /env/A: a string is wanted, or true to hand on cloche's own
[2]
$ echo '{ "env": { "A=B": "1" } }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:12: /env/A=B: this cannot be the name of a variable
[2]
$ echo '{ "limits": { "timeout": 5 } }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:15: /limits/timeout: a duration is wanted, such as 500ms, 5s, 2m or none
[2]
$ echo '{ "limits": { "memory": true } }' > k.json; cloche run --config k.json -e 1
! cloche: k.json:1:15: /limits/memory: a size is wanted, such as 4096, 64KiB, 1MB or none
[2]

# Names.
$ echo '{ "tools": [ { "name": "a b" } ] }' > n.json; cloche run --config n.json -e 1
! cloche: n.json:1:16: /tools/0/name: a tool's name is a path such as stripe/charges/create<...>
[2]
$ echo '{ "tools": [ { "name": "a//b" } ] }' > n.json; cloche tools --config n.json
! cloche: n.json:1:16: /tools/0/name: a tool's name is a path such as stripe/charges/create<...>
[2]
$ echo '{ "tools": [ { "name": "a/b" }, { "name": "c" }, { "name": "a.b" } ] }' > n.json
$ cloche run --config n.json -e 1
! cloche: n.json:1:52: /tools/2/name: this is the name of /tools/0 already
[2]

# Limits of the file hold, and the command line has the last word.
$ echo '{ "limits": { "timeout": "50ms" } }' > limits.json
$ cloche run --config limits.json -e 'for (;;);'
! cloche: limit.time: <...>
[124]
$ cloche run --config limits.json --timeout 20s -e 'let s = 0; for (let i = 0; i < 2e7; i++) s += i; return s'
199999990000000
