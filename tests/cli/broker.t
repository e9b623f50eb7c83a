Tools that are commands, and all the ways in which one can go wrong.

$ cat > c.json <<'E'
> { "tools": [
>   { "name": "echo", "command": ["cat"] },
>   { "name": "env", "command": ["sh", "-c", "env | cut -d= -f1 | sort | grep -v -e PWD -e _ | tr '\\n' ' ' | jq -Rs ."],
>     "env": { "MINE": "1", "HANDED": true, "ABSENT": true } },
>   { "name": "pwd", "command": ["sh", "-c", "pwd | jq -R ."] },
>   { "name": "fail", "command": ["sh", "-c", "seq 1 9 >&2; echo /etc/secret >&2; exit 7"] },
>   { "name": "said", "command": ["sh", "-c", "echo '{\"error\":{\"message\":\"card declined\",\"code\":\"declined\"}}'; exit 7"] },
>   { "name": "plain", "command": ["sh", "-c", "echo '{\"error\":\"no such card\"}'; exit 1"] },
>   { "name": "nojson", "command": ["echo", "{\"a\": nope}"] },
>   { "name": "twice", "command": ["echo", "{\"a\":1,\"a\":2}"] },
>   { "name": "empty", "command": ["true"] },
>   { "name": "bytes", "command": ["printf", "\"\\377\""] },
>   { "name": "flood", "command": ["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' 1"] },
>   { "name": "noise", "command": ["sh", "-c", "head -c 100000000 /dev/zero >&2; echo 1"] },
>   { "name": "deaf", "command": ["sh", "-c", "exec <&-; sleep 0.1; echo '\"deaf\"'"] },
>   { "name": "early", "command": ["echo", "\"early\""] },
>   { "name": "slow", "command": ["sleep", "100"], "timeout": "200ms" },
>   { "name": "nap", "command": ["sh", "-c", "sleep 0.5; echo 1"] },
>   { "name": "sleep", "command": ["sh", "-c", "echo $$ > pid; sleep 100"] },
>   { "name": "killed", "command": ["sh", "-c", "kill -9 $$"] },
>   { "name": "missing", "command": ["no-such-program"] },
>   { "name": "commandless" },
>   { "name": "parent", "command": ["sh", "-c", "sleep 100 & echo $! > child; echo 5"] } ],
>   "policy": { "rules": [ { "pattern": "**", "effect": "allow" } ] } }
> E
$ cat > try.js <<'E'
> const report = (e) => console.log(e.name, e.code, e.tool, e.message);
> E
$ cat > t.sh <<'E'
> { cat try.js; echo "try { console.log(await $1) } catch (e) { report(e) }"; } | cloche run --config c.json -
> E

# What goes in comes out, integers and all.
$ sh t.sh 'echo({ a: [1, "ä", null], n: 9007199254740993n })'
{ a: [ 1, 'ä', null ], n: 9007199254740993n }
$ sh t.sh 'pwd({}).then((p) => p.length > 1)'
true
$ HANDED=x HIDDEN=y sh t.sh 'env({}).then((names) => [names.includes("HANDED"), names.includes("MINE"), names.includes("ABSENT"), names.includes("HIDDEN")])'
[ true, true, false, false ]

# Failing. The person sees what the tool said, the program does not.
$ sh t.sh 'fail({})'
ToolError tool.failed fail the tool failed with exit status 7
! cloche: fail: the tool failed with exit status 7; its last lines:
! 6
! 7
! 8
! 9
! /etc/secret
$ sh t.sh 'said({})'
ToolError declined said card declined
$ sh t.sh 'plain({})'
ToolError tool.failed plain no such card
$ sh t.sh 'killed({})'
ToolError tool.failed killed the tool was ended by signal 9
! cloche: killed: the tool was ended by signal 9
$ sh t.sh 'missing({})'
ToolError tool.start missing the tool could not be started
! cloche: missing: "no-such-program" cannot be started: no such file or directory
$ sh t.sh 'commandless({})'
ToolError tool.start commandless the tool has no command that could be run
! cloche: commandless was called, but has no "command" in the configuration

# No JSON.
$ sh t.sh 'nojson({})'
ToolError tool.answer nojson the tool's answer is not JSON
! cloche: nojson: the tool's answer is not JSON: line 1, column 7: <...>
$ sh t.sh 'twice({})'
ToolError tool.answer twice the tool's answer is not JSON
! cloche: twice: the tool's answer is not JSON: <...>
$ sh t.sh 'empty({})'
ToolError tool.answer empty the tool's answer is not JSON
! cloche: empty: the tool's answer is not JSON: line 1, column 1: <...>
$ sh t.sh 'bytes({})'
ToolError tool.answer bytes the tool's answer is not JSON
! cloche: bytes: the tool's answer is not JSON: <...>

# Floods, and tools that do not read. 200 KB do not fit a pipe.
$ sh t.sh 'flood({})'
ToolError limit.result flood the tool's answer is longer than the limit for a result
! cloche: flood: the tool's answer is longer than the limit for a result
$ sh t.sh 'noise({})'
1
$ sh t.sh 'deaf({ x: "y".repeat(200000) })'
deaf
$ sh t.sh 'early({ x: "y".repeat(200000) })'
early
$ sh t.sh 'echo({ x: "y".repeat(200000) }).then((a) => a.x.length)'
200000

# Time. Three naps at once take one.
$ sh t.sh 'slow({})'
ToolError tool.timeout slow the tool did not answer within 0.2 s
! cloche: slow: the tool did not answer within 0.2 s
$ cloche run --json --config c.json -e 'return await Promise.all([nap({}), nap({}), nap({})])' | jq -c '[.value, .usage.calls, .usage.waiting_ms < 1400]'
[[1,1,1],3,true]
$ cloche run --total-timeout 500ms --config c.json -e 'await sleep({})'
! cloche: limit.time: <...>
! cloche: 1 call was still under way when the run ended, and cancelled
[124]

# A call that nobody waits for is cancelled and reported, and its process is gone.
$ cloche run --config c.json -e 'sleep({}); await nap({}); return "done"'
done
! cloche: 1 call was still under way when the run ended, and cancelled
$ sleep 0.1; ! grep '^State:.[^Z]' /proc/$(cat pid)/status 2> /dev/null
$ cloche run --json --config c.json -e 'nap({}).catch(() => {}); return 1' | jq -c '[.end, .value, .cancelled]'
["done",1,1]

# What a tool leaves behind ends with it.
$ sh t.sh 'parent({})'
5
$ sleep 0.1; ! grep '^State:.[^Z]' /proc/$(cat child)/status 2> /dev/null

# Arguments that are none.
$ sh t.sh 'echo(1)'
TypeError<...>
$ sh t.sh 'echo({}, {})'
TypeError<...>
$ sh t.sh 'echo()'
TypeError<...>
$ sh t.sh 'echo({ x: Infinity })'
TypeError<...>
$ sh t.sh 'echo({ x: () => 1 })'
<...>
$ sh t.sh '(() => { const a = {}; a.a = a; return echo(a) })()'
TypeError<...>
$ sh t.sh 'ehco({})'
ReferenceError<...>

# An uncaught tool error ends the program with the tool's message.
$ cloche run --config c.json -e 'await said({})'
! ToolError: card declined
! <...>
[1]

# Denied, because nothing allows it.
$ echo '{ "tools": [ { "name": "echo", "command": ["cat"] } ] }' > none.json
$ cloche run --config none.json -e 'await echo({})'
! CapabilityError: <...>
! <...>
[1]

# Ten thousand tools.
$ python3 -c 'import json; print(json.dumps({"tools": [{"name": f"group{i // 100}/tool{i}", "description": "x" * 100, "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}, "command": ["cat"]} for i in range(10000)], "policy": {"rules": [{"pattern": "group7/*", "effect": "allow"}]}}))' > many.json
$ cloche run --config many.json -e 'return [listTools().length, await group7.tool777({ n: 1 })]'
[10000,{"n":1}]
$ cloche tools --config many.json | wc -l
10000

# A kill -9 of cloche leaves no tool behind, nor what the tool started, nor the guard that saw to it.
$ cat > guarded.json <<'E'
> { "tools": [ { "name": "work", "command": ["sh", "-c", "sleep 100 & echo $! > grandchild; echo $$ > worker; wait"] } ],
>   "policy": { "rules": [ { "pattern": "**", "effect": "allow" } ] } }
> E
$ cloche run --config guarded.json -e 'await work({})' 2> errors & while [ ! -s worker ]; do sleep 0.05; done; cat /proc/$!/task/$!/children > children; kill -9 $!; wait $! 2> killed.by; for i in $(seq 200); do left=0; for p in $(cat worker grandchild children); do grep -qs '^State:.[^ZX]' /proc/$p/status && left=1; done; [ $left = 0 ] && break; sleep 0.05; done; echo left $left
left 0
