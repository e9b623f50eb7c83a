Input that is broken, strange or large: a clear error or a right answer, never a hang, never a crash.

# Nothing.
$ : > empty.js; cloche run empty.js
$ cloche run -e ''
$ cloche run --json empty.js | jq -c '[.end, .value]'
["done",null]
$ cloche run - < /dev/null

# Bytes that are not UTF-8, and NUL.
$ printf 'return "\377"' > bytes.js; cloche run bytes.js
! SyntaxError: <...>UTF-8<...>
! <...>
[1]
$ printf 'return "a\0b".length' > nul.js; cloche run nul.js
3
$ printf 'return 1;\0' > nul.js; cloche run nul.js
! SyntaxError: <...>
! <...>
[1]
$ printf '\357\273\277return "after a byte order mark"' > bom.js; cloche run bom.js
after a byte order mark
$ printf '#!/usr/bin/env cloche\nreturn 1' > shebang.js; cloche run shebang.js
1

# Ten megabytes.
$ python3 -c 'print("const t = `" + "x" * 10_000_000 + "`; return t.length")' > big.js; cloche run big.js
10000000
$ python3 -c 'print("let s = 0;\n" + "s += 1;\n" * 1_250_000 + "return s;")' > lines.js
$ cloche run --memory 1GiB --timeout 60s lines.js
1250000
$ python3 -c 'print("(" * 100_000)' > deep.js; cloche run deep.js
! <...>
! <...>
[1]

# Output that has no end.
$ cloche run --timeout 2s --output 1000 -e 'for (;;) console.log("y")' 2> e | wc -c
1000
$ grep -c 'the output is cut' e
1
# Whoever reads has gone.
$ cloche run --timeout 20s --output none -e 'for (;;) console.log("y")' | head -1
y

# TypeScript is not JavaScript, and the message says so.
$ cloche run -e 'const x: number = 1; return x'
! SyntaxError: <...>TypeScript<...>
! <...>
[1]

# No script.
$ cloche run none.js
! cloche: the program none.js cannot be read: No such file or directory
[2]
