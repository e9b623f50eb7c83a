A recorded run, run again without its tools.

$ cat > c.json <<'E'
> { "tools": [ { "name": "echo", "command": ["sh", "-c", "echo run >> made; cat"] },
>              { "name": "fail", "command": ["false"] }, { "name": "ask", "command": ["cat"] } ],
>   "policy": { "rules": [ { "pattern": "echo", "effect": "allow", "where": { "n": { "<": 9 } }, "max_calls": 20 },
>     { "pattern": "fail", "effect": "allow" }, { "pattern": "ask", "effect": "ask" } ] } }
> E
$ cat > p.js <<'E'
> const out = [Math.random(), Date.now()];
> const r = await Promise.all([echo({ n: 1 }), echo({ n: 2 })]);
> try { await fail({}) } catch (e) { out.push(e.message) }
> try { await echo({ n: 9 }) } catch (e) { out.push(e.name) }
> await new Promise((done) => setTimeout(done, 5000));
> let x = 0; for (let i = 0; i < 300000; i++) x += i;
> console.log(out, r, x, new Date());
> return out;
> E
$ cloche run --config c.json --ledger l p.js 2> /dev/null | grep -v '^\[[0-9]' > first; rm made
$ cloche replay l > again
! cloche: the same: <...> records, fuel <...>, state <...>
$ cmp first again; ls made
! ls: <...>
[2]
$ (cd /; TZ=Asia/Tokyo LC_ALL=C cloche replay $OLDPWD/l) 2> other | cmp - first; cloche replay l 2>&1 > again | cmp - other

# Another program, another policy, and a ledger that was touched: what it leads to first.
$ sed 's/n: 2/n: 3/' p.js > q.js; cloche replay l q.js
! cloche: it goes otherwise: record 2 (decision), params: it was {"n":2}, and is {"n":3}; --portable compares what it does
[1]
$ jq '.policy.rules[0].where.n["<"] = 2' c.json > strict.json; cloche replay l --config strict.json
! cloche: it goes otherwise: record 2 (decision), effect: it was "allow", and is "deny"; --portable compares what it does
[1]
$ cloche replay l --config strict.json --portable 2>&1 | head -1
cloche: differs: the decision about echo {"n":2}: it was allowed, and is constraint
$ jq '.policy.name = "other"' c.json > other.json; cloche replay l --config other.json 2>&1 > again | cut -d, -f1; cmp first again
cloche: the same: <...> records
$ printf '' > none.js; cloche replay l none.js
! cloche: it goes otherwise: record 1 (decision), <...>
[1]
$ sed '4s/"n":[12]/"n":7/' l > touched; cloche replay touched
! cloche: touched: <...>
[2]

# Time travel: up to a call, and on from there.
$ cloche replay l --until 2 --snapshot s 2> /dev/null; cloche snapshot info s | grep -c answer
2
$ cloche resume --config c.json s 2> /dev/null | grep -c 44999850000
1

$ cloche replay l --until 9 --snapshot none
! cloche: --until 9: the recorded run decided no such call
[2]
$ cloche run --config c.json --ledger denied -e 'try { await echo({ n: 9 }) } catch (e) { console.log(e.name) } throw 1' > /dev/null 2>&1
[1]
$ cloche replay denied --until 1 --snapshot none > /dev/null
! cloche: the same: <...>
! cloche: the program cannot be saved there: it ended without waiting again
[1]

# A ledger that breaks off: its process was killed, or what followed is in another one.
$ head -n 3 l > broken; cloche replay broken
! cloche: the same: 3 records, fuel <...>, up to where the ledger breaks off
$ cloche run --config c.json --ledger half --snapshot s -e 'console.log("before"); await ask({ k: 1 })' > /dev/null 2>&1
[3]
$ cloche replay half
before
! cloche: the same: 2 records, fuel <...>, up to where the ledger breaks off
$ cloche replay half --json | jq -c '[.same, .stopped]'
[true,"cut"]

# Through an approval and a snapshot, if both are in one ledger.
$ cloche run --config c.json --ledger m --snapshot s -e 'const a = await ask({ k: 1 }); console.log(Date.now() > 0); return a.k' 2> /dev/null
[3]
$ cloche resume --config c.json --ledger m s --approve all 2> /dev/null
true
1
$ cloche replay m
true
! cloche: the same: <...>

# A shell script, and runs that a limit ended.
$ cloche sh --config c.json --ledger n -c 'seq 3 | while read -r n; do tool echo --n $n | jq -c .; done | tac; echo "$1"; exit 3' -- me word
{"n":3}
{"n":2}
{"n":1}
word
[3]
$ cloche replay n 2> /dev/null
{"n":3}
{"n":2}
{"n":1}
word
$ cloche run --config c.json --ledger o --fuel 2000000 -e 'await echo({ n: 1 }); for (;;);' 2> /dev/null
[124]
$ cloche replay o
! cloche: the same: <...>
$ cloche run --config c.json --ledger t --timeout 200ms -e 'await echo({ n: 1 }); for (;;);' 2> /dev/null
[124]
$ cloche replay t
! cloche: the same: <...>

$ cloche replay
! cloche: cloche replay LEDGER [PROGRAM] is wanted; see cloche replay --help
[2]

# Secrets have another hash in another ledger, wherever they stand.
$ cat > secret.json <<'E'
> { "tools": [ { "name": "echo", "command": ["cat"] } ],
>   "policy": { "rules": [ { "pattern": "echo", "effect": "allow", "secret": ["pin", "deep/*/pin"] } ] } }
> E
$ cloche run --config secret.json --ledger sl -e 'await echo({ pin: 1, deep: [{ pin: 1, n: 2 }, { pin: 3 }] }); return 1' && cloche replay sl
1
! cloche: the same: <...>

# What came from outside is not in the ledger.
$ mkdir data; echo x > data/f; cloche run --ledger outside --mount data:/data -e 'return fs.readFileSync("/data/f", "utf8")' > /dev/null; cloche replay outside
! cloche: outside holds no run that can be replayed: the run had mounted folders, whose files are not in the ledger
[2]
$ jq -c 'select(.kind == "open") | [.replayable, .mounts]' outside
[false,[{"guest":"/data","writable":false}]]

# As JSON.
$ cloche replay l --json | jq -c '[.same, .portable, .stopped, .differences, (.state | length), (.output | length > 50)]'
[true,false,null,[],64,true]
$ cloche replay l q.js --json | jq -c '[.same, (.differences | length), .differences[0].what[:30]]'
[false,1,"params"]

# By another version: refused, and compared call by call with --portable. The image's name in the ledger is changed, and its chain made again.
$ cat > rename.py <<'E'
> import hashlib, sys
> before = bytes(32)
> for line in open("l", "rb"):
>     text = line.rstrip(b"\n").rpartition(b',"hash":"')[0]
>     if b'"kind":"open"' in text:
>         at = text.index(b'"image":"') + 9
>         text = text[:at] + b"0" * 64 + text[at + 64:]
>     before = hashlib.blake2b(before + text, digest_size=32).digest()
>     sys.stdout.buffer.write(text + b',"hash":"' + before.hex().encode() + b'"}\n')
> E
$ python3 rename.py > old; cloche ledger verify old > /dev/null; cloche replay old
! cloche: it goes otherwise: record 0 (open), image: it was "0000<...>", and is "<...>"; --portable compares what it does
[1]
$ cloche replay old --portable > again
! cloche: the same: 4 calls, their arguments and decisions, and the output
$ cmp again first; rm -f made; cloche replay old --portable --json | jq -c '[.same, .portable, .differences]'; ls made
[true,true,[]]
! ls: <...>
[2]
$ cloche replay m --portable && cloche replay n --portable 2> /dev/null | wc -l
true
4
! cloche: the same: 1 call, its arguments and decision, and the output

# All differences: an argument, a decision, a call more, a call less, the output.
$ sed 's/n: 2/n: 3/; s/n: 9/n: 8/; s/await fail({})/await echo({ m: 1 })/' p.js > r.js
$ cloche replay old r.js --portable > /dev/null
! cloche: differs: a call's arguments: it was echo {"n":2}, and is echo {"n":3}
! cloche: differs: a call's arguments: it was echo {"n":9}, and is echo {"m":1}
! cloche: differs: a call: it was none, and is echo {"n":8}
! cloche: differs: value: <...>
! cloche: differs: stdout: <...>
! cloche: differs: a call: it was fail {}, and is not made
[1]
$ cloche replay old r.js --portable --json | jq -c '[.same, [.differences[].what]]'
[false,["a call's arguments","a call's arguments","a call","value","stdout","a call"]]
$ cloche replay old --portable --until 2
! cloche: --until wants the very run of then; a portable one may be another
[2]
# A race is decided as it was then, and a timer that came first comes first.
$ cloche run --config c.json --ledger race -e 'const late = new Promise((d) => setTimeout(d, 1, "timer")); console.log(await Promise.race([echo({ n: 1 }).then(() => "call"), late])); await late; return Date.now() > 0' 2> /dev/null > ran
$ cloche replay race --portable 2> /dev/null; head -1 ran
timer
timer
