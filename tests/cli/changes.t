# What a run changed in the files.

$ cloche run --diff -e 'const fs = require("fs"); fs.mkdirSync("d"); fs.writeFileSync("d/a.txt", "hello"); fs.symlinkSync("d", "l")'
! cloche: created /workspace/d/
! cloche: created /workspace/d/a.txt, 5 bytes
! cloche: created link /workspace/l

$ cloche run -e 'require("fs").writeFileSync("a", "hello")'

$ cloche run --diff -e 'return 1'
1

$ cloche run --diff -e 'require("fs").writeFileSync("\u001b[31m", "h"); throw new Error("no")'
! Error: no
! <...>
! cloche: created /workspace/?[31m, 1 byte
[1]

$ cloche sh --diff -c 'for i in $(seq 60); do echo > f$i; done; exit 3' 2>&1 | tail -2
cloche: created /workspace/f54, 1 byte
cloche: and 10 more changes in the files (--json lists all)

$ cloche sh --json -c 'printf 12 > "$(printf "/tmp/\377")"'
{"end":"done",<...>,"files":{"created":[{"path":{"base64":"L3RtcC//"},"kind":"file","size":2}],"modified":[],"deleted":[]},<...>}
