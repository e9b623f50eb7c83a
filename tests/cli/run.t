Programs and their ends, as a script that starts cloche sees them.

$ cloche run -e 'return 6 * 7'
42
$ cloche run -e 'return "text"'
text
$ cloche run -e 'return "line\n"'
line
$ cloche run -e 'return { a: [1, null, "x"] }'
{"a":[1,null,"x"]}
$ cloche run -e 'return null'
null
$ cloche run -e 'let unused = 1;'
$ cloche run -e 'return 12345678901234567890n'
12345678901234567890
$ echo 'return "from a pipe"' | cloche run -
from a pipe
$ printf 'console.log(1);\nconsole.error(2);\nreturn 3;\n' > p.js; cloche run p.js
1
3
! 2
$ cloche run -e 'console.log("a"); await null; console.log("b")'
a
b

# Every exit status.
$ cloche run -e 'return 1'
1
$ cloche run -e 'throw new RangeError("too far")'
! RangeError: too far
! <...>
[1]
$ cloche run -e 'throw null' 
! <...>null
[1]
$ cloche run -e 'return ('
! SyntaxError: <...>
! <...>
[1]
$ cloche run -e 'Promise.reject(new Error("nobody looks")); return 3'
! Error: nobody looks (unhandled rejection)
! <...>
[1]
$ cloche run -e 'await new Promise(() => {})'
! Error: the program waits for a promise that nothing can settle: <...>
! <...>
[1]
$ cloche run --nonsense -e 1
! <...>
[2]
$ cloche run --timeout 100ms -e 'for (;;);'
! cloche: limit.time: <...>
[124]
$ cloche run --fuel 100000 -e 'for (;;);'
! cloche: limit.fuel: <...>
[124]
$ cloche run --memory 8MiB -e 'const a = []; for (;;) a.push("x".repeat(1000) + a.length)'
! cloche: limit.memory: <...>
[137]
$ cloche run --memory 8MiB -e 'try { const a = []; for (;;) a.push(new Uint8Array(1e6)) } catch (e) { return "caught" }'
caught

# Where an error is.
$ printf '\n\n  nosuchname();\n' > e.js; cloche run e.js
! ReferenceError: <...>nosuchname<...>
! <...>:3:<...>
[1]
$ cloche run --json e.js | jq -c '[.end, .ok, .error.kind, .error.name, .error.line, .error.column]'
["exception",false,"exception","ReferenceError",3,3]
$ cloche run --json -e 'let x = ;' | jq -c '[.end, .error.kind, .error.line]'
["syntax","syntax",1]

# What the program reads.
$ cloche run -e 'return 1' < /dev/zero
1
$ cloche run --stdin-from p.js -e 'return 1'
1

# Repeatable, when it is asked for.
$ cloche run --seed 7 --time 2026-03-01T12:00:00+01:00 -e 'return [new Date().toISOString(), Math.random()]' > 1
$ cloche run --seed 7 --time 2026-03-01T11:00:00Z -e 'return [new Date().toISOString(), Math.random()]' | cmp - 1
$ grep -c 2026-03-01T11:00:00 1
1
$ cloche run -e 'return Math.random()' > 2; cloche run -e 'return Math.random()' | cmp -s - 2
[1]

# A minute of sleep does not take one, unless that is wanted.
$ cloche run -e 'await new Promise((r) => setTimeout(r, 60000)); return "awake"'
awake
$ cloche run --real-time -e 'const t = Date.now(); await new Promise((r) => setTimeout(r, 300)); return Date.now() - t >= 300'
true
