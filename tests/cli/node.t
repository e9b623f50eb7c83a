`node` and `js` in the shell, and the shell from JavaScript. What the shell part prints is what bash and
Node 20 print, but for the frames of errors.

$ cat > n.sh <<'E'
> node -e 'console.log(1+1, process.argv.length)' a b
> echo "console.log('from file', process.argv.slice(2), process.env.FOO)" > f.js
> FOO=bar node f.js x 'y z'
> echo 'console.log("stdin program")' | node
> echo 'console.log("dash", process.argv.slice(1))' | js - q
> node -p '[1,2].map(x=>x*2)'
> echo hello | node -e 'const t=require("fs").readFileSync(0,"utf8"); process.stdout.write(t.toUpperCase())'
> printf 'a\nb\n' | node -e 'let d="";process.stdin.on("data",c=>d+=c).on("end",()=>console.log(d.split("\n").length))'
> printf 'a\nb\n' | node -e 'let s="";for await (const c of process.stdin) s+=c; console.log(JSON.stringify(s))'
> node -e 'setTimeout(()=>console.log("later"),50); console.log("now")'
> node -e 'async function main(){ await new Promise(r=>setTimeout(r,5)); console.log("main") } main()'
> node -e 'console.log(JSON.stringify({a:[1,2]}))' | jq -c .a
> node -e 'for(let i=0;i<100000;i++)console.log(i)' | head -2
> printf '#!/usr/bin/env node\nconsole.log("script", process.argv[2])\n' > s.mjs; chmod +x s.mjs; ./s.mjs hi
> mkdir -p d; echo 'export const v = 42' > d/m.mjs; echo 'import {v} from "./m.mjs"; console.log(v)' > d/a.mjs; node d/a.mjs
> x=$(node -p '6*7'); echo "x=$x"
> seq 3 | xargs -I{} node -e 'console.log("n{}")'
> E
$ cloche sh n.sh
2 3
from file [ 'x', 'y z' ] bar
stdin program
dash [ '-', 'q' ]
[ 2, 4 ]
HELLO
3
"a\nb\n"
now
later
main
[1,2]
0
1
script hi
42
x=42
n1
n2
n3

# A program that does not look at its input leaves it to the loop.
$ cloche sh -c 'printf "1\n2\n3\n" | while read x; do node -e "console.log(10 + $x)"; done'
11
12
13

# Status and errors.
$ cloche sh -c 'node -e "process.exit(7)"; echo $?; node -e "process.exitCode=4"; echo $?; node -e "throw new TypeError(\"bad\")"; echo $?'
7
4
1
! [eval]:1
! throw new TypeError("bad")
!
! TypeError: bad
!     at <program> ([eval]:1:11)
$ cloche sh -c 'node -e "throw 5"; echo $?; node nosuch.js; echo $?; node -e "if("; echo $?' 2>&1
Uncaught 5
1
node: Cannot find module '/workspace/nosuch.js': No such file or directory
1
[eval]:1
if(

SyntaxError: Unexpected end of input
    at [eval]:1:4
1
$ cloche sh -c 'node -e "Promise.reject(new Error(\"rej\"))" 2>&1 | grep rej; node -e "await new Promise(()=>{})" 2>&1 | grep -o "nothing can settle"; timeout 1 node -e "setInterval(()=>{},100)"; echo $?'
Promise.reject(new Error("rej"))
Error: rej
nothing can settle
124
$ cloche sh -c 'node -e "function f(){f()} f()" 2>&1 | head -1; node -e "for(;;);"' --timeout 300ms; echo $?
[eval]:1
124
! cloche: limit.time: <...>

# Several at once, and one inside another, do not see each other's state.
$ cloche sh -c 'node -e "console.log(\"A\"); setTimeout(()=>console.log(\"B\"),10)" | node -e "setTimeout(()=>process.stdout.write(\"got \"+require(\"fs\").readFileSync(0,\"utf8\")),1)"'
got A
B
$ cat > nest.sh <<'E'
> node -e 'const timer = setTimeout(() => console.log("outer timer", process.argv.length), 20);
>   const r = await shell(`node -e "setTimeout(() => { console.log(process.argv.length, 40 + 2); process.exit(3) }, 30)" q`);
>   console.log(r.stdout.trim(), r.exitCode, process.argv.length)' a b c
> for i in 1 2 3; do node -e "setTimeout(() => console.log($i), $((40 - i * 10)))" & done; wait
> E
$ cloche sh nest.sh
outer timer 4
2 42 3 4
3
2
1
$ cat > kill.js <<'E'
> const r = await shell('node -e "setInterval(() => {}, 50)" & p=$!; sleep 1; kill $p; wait $p; echo $?; node -e "setInterval(() => {}, 50)" & sleep 1; kill -9 $!; wait $!; echo $?; node -p 1');
> return r.stdout.trim().split('\n');
> E
$ cloche run kill.js
["143","137","1"]

# Interop: JavaScript writes, the shell greps, JavaScript reads; text and bytes, both ways.
$ cat > interop.js <<'E'
> fs.writeFileSync('log.txt', 'ok 1\nfehlerhaft: größer\nok 2\nFehler: ☃ 𝒳\n');
> const found = await sh`grep -in fehler ${'log.txt'} > hits.txt; wc -l < hits.txt`;
> const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
> fs.writeFileSync('b.bin', bytes);
> const back = await shell('cat b.bin | od -An -v -tu1 | tr -s " \n" " "; cat b.bin > c.bin', { encoding: 'buffer' });
> const echoed = await shell('cat', { stdin: bytes, encoding: 'buffer' });
> return { status: found.exitCode, count: found.stdout.trim(), hits: fs.readFileSync('hits.txt', 'utf8'),
>   sum: new TextDecoder().decode(back.stdout).trim().split(' ').reduce((a, b) => a + Number(b), 0),
>   same: Buffer.compare(fs.readFileSync('c.bin'), Buffer.from(bytes)), echoed: Buffer.compare(Buffer.from(echoed.stdout), Buffer.from(bytes)) };
> E
$ cloche run interop.js
{"status":0,"count":"2","hits":"2:fehlerhaft: größer\n4:Fehler: ☃ 𝒳\n","sum":32640,"same":0,"echoed":0}
$ cat > quote.js <<'E'
> const words = ["it's", '$HOME `x`', 'a\nb', '', '*', '-n', 'ö', '"'];
> const all = await sh`printf '<%s>' ${words}`;
> return all.stdout === words.map((w) => `<${w}>`).join('') ? 'quoted' : all;
> E
$ cloche run quote.js
quoted
$ cloche sh -c 'printf "\xff\x00\xfe" > b; node -e "const b = fs.readFileSync(\"b\"); console.log(b.length, b[0], b[2]); fs.writeFileSync(\"c\", b)"; cmp b c && echo same; node -e "process.stdout.write(Buffer.from([255, 0, 10]))" | od -An -tx1'
3 255 254
same
 ff 00 0a
