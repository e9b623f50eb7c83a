What a program would do, as a list; and a run that keeps to it.

$ cat > c.json <<'E'
> { "tools": [
>     { "name": "shop/price", "command": ["echo", "700"], "read_only": true },
>     { "name": "shop/refund", "command": ["sh", "-c", "x=$(cat); echo \"$x\" >> done; echo \"$x\""],
>       "output_schema": { "type": "object", "required": ["id"],
>                          "properties": { "id": { "type": "string", "examples": ["re_1"] } } } },
>     { "name": "mail/send", "command": ["sh", "-c", "x=$(cat); echo \"$x\" >> done; echo \"$x\""] } ],
>   "policy": { "rules": [
>     { "pattern": "shop/price", "effect": "allow" },
>     { "name": "small", "pattern": "shop/refund", "effect": "allow", "where": { "amount": { "<=": 800 } },
>       "set": { "by": "bot" } },
>     { "name": "large", "pattern": "shop/refund", "effect": "ask", "where": { "amount": { ">": 800 } },
>       "reason": "it is much", "max_calls": 2 },
>     { "pattern": "mail/send", "effect": "allow", "secret": ["token"],
>       "where": { "to": { "ends_with": "@example.com" } } } ] } }
> E
$ cat > p.js <<'E'
> const price = await shop.price({ item: "apple" });
> const [a] = await Promise.all([shop.refund({ amount: price }), shop.refund({ amount: 900 })]);
> try {
>   await mail.send({ to: "x@evil.example" });
> } catch (error) {
>   console.log("not sent");
> }
> await mail.send({ to: "a@example.com", n: Math.random(), at: Date.now(), token: "t0ken" });
> return a.amount;
> E

# A plan needs answers of tools that it does not run.
$ cloche run --config c.json --plan p.js
! not sent
! cloche: there is no answer of mail/send to plan with: add it to --mock FILE, or "examples" to the tool's output_schema; if the tool changes nothing, say "read_only": true
[2]
$ echo '{"mail/send": {"sent": true}}' > mock.json
$ cloche run --config c.json --mock mock.json --plan=plan.json p.js
plan <...>: 3 effects, in this order
  allow  shop/refund {"amount":700,"by":"bot"}
  ask    shop/refund {"amount":900}
         it is much
  allow  mail/send {"to":"a@example.com","n":<...>,"at":<...>,"token":{"secret":"<...>"}}
refused, and no part of it:
  deny   mail/send {"to":"x@evil.example"}
         "to", of type string, does not meet the rule "mail/send"<...>
! not sent
! cloche: nothing of it was done; 1 call of read-only tools was made
! cloche: written to plan.json; to approve and do it, run the same program with --apply plan.json
$ stat -c %a plan.json; ls
600
c.json
mock.json
p.js
plan.json

# Random numbers and the clock are those of the plan, so that the program comes to the same calls; what the policy asks about is approved.
$ cloche run --config c.json --apply plan.json --ledger l p.js
not sent
700
$ sort done | cut -c 1-30
{"amount":700,"by":"bot"}
{"amount":900}
{"to":"a@example.com","n":0.<...>
$ jq -c 'select(.kind == "approval") | [.approved, .reason]' l
[true,"the plan <...>"]
$ jq -c 'select(.kind == "plan") | [.plan, (.effects | length), .read_only, .effects[2].params.token]' l
["kept to",3,["shop/price"],{"secret":"<...>"}]
$ cloche replay l
not sent
! cloche: the same: <...>

# Beyond the plan nothing happens: another argument, one call too many, another tool. The order is free, and less is fine.
$ jq '(.effects[] | select(.method == "mail/send")) |= (.params = { "to": "b@example.com" })' plan.json > b.json
$ rm done; cloche run --config c.json --apply b.json --ledger l2 p.js
not sent
! cloche: refused, as b.json has calls of this tool, but none with these arguments: mail/send {"to":"a@example.com",<...>}
! cloche: planned, and not done: mail/send {"to":"b@example.com"}
! CapabilityError: The plan <...> has calls of this tool, but none with these arguments.
!     at <...>
[1]
$ sort done
{"amount":700,"by":"bot"}
{"amount":900}
$ jq -c 'select(.code == "plan") | [.effect, .method, .message]' l2
["deny","mail/send","The plan <...> has calls of this tool, but none with these arguments."]
$ cloche replay l2
not sent
! cloche: the same: <...>
$ jq 'del(.effects[2])' plan.json > d.json
$ cloche run --config c.json --apply d.json p.js 2>&1 | grep -o 'The plan .*'
The plan <...> does not have this call.
$ jq '.effects |= [.[0], .[2], .[1]]' plan.json > e.json; cloche run --config c.json --apply e.json p.js
not sent
700
$ echo 'for (const n of [1, 1]) await mail.send({ to: "a@example.com", n }).catch((e) => console.log(e.code, e.message))' > twice.js
$ cloche run --config c.json --plan=t.json --mock mock.json twice.js 2> /dev/null | head -1
plan <...>: 2 effects, in this order
$ jq 'del(.effects[1])' t.json > once.json; rm done; cloche run --config c.json --apply once.json twice.js
plan The plan <...> has this call, but it was made as often as it is there.
! cloche: refused, as once.json has this call, but it was made as often as it is there: mail/send {"to":"a@example.com","n":1}
$ cat done
{"to":"a@example.com","n":1}

# The gate has the last word: what the policy of now denies is denied, and what it sets has to be what was planned.
$ jq '.policy.rules[3].effect = "deny"' c.json > deny.json
$ cloche run --config deny.json --apply plan.json p.js 2>&1 | grep -c 'CapabilityError: .*mail/send'
1
$ jq '.policy.rules[1].set.by = "other"' c.json > other.json
$ cloche run --config other.json --apply plan.json p.js 2>&1 | grep 'refused, as'
cloche: refused, as plan.json has calls of this tool, but none with these arguments: shop/refund {"amount":700,"by":"other"}

# Budgets: a plan sees what was spent, counts what it would spend, and takes none of it.
$ echo 'await shop.refund({ amount: 900 }); return 1' > large.js
$ for i in 1 2; do cloche run --config c.json --accounts acc --plan=large.json large.js > /dev/null 2>&1 || echo no; done
$ cloche run --config c.json --accounts acc --apply large.json large.js > /dev/null; cloche run --config c.json --accounts acc --apply large.json large.js > /dev/null
$ cloche run --config c.json --accounts acc --plan large.js 2>&1 | head -1
CapabilityError: The budget of the rule "large" is used up.
$ echo 'for (let i = 0; i < 3; i++) await shop.refund({ amount: 900 })' > three.js
$ cloche run --config c.json --accounts acc2 --plan three.js 2>&1 | head -1
CapabilityError: The budget of the rule "large" is used up.
$ jq '.policy.rules[2] += { "max_calls": 9, "max_concurrent": 1 }' c.json > one.json
$ cloche run --config one.json --accounts acc2 --plan three.js 2> /dev/null | head -1
plan <...>: 3 effects, in this order
$ cloche run --config one.json --accounts acc2 --plan -e 'await Promise.all([1, 2].map(() => shop.refund({ amount: 900 })))' 2>&1 | head -1
CapabilityError: The budget of the rule "large" is used up.
$ sqlite3 acc2 'select sum(calls), (select count(*) from reservations) from budgets'
0|0

# A shell program, and JSON.
$ echo 'tool shop.price | jq .; tool shop.refund --amount 900 | jq -r .id' > p.sh
$ cloche sh --config c.json --json --plan=s.json p.sh > j; jq -c '[.ok, .stdout, .plan.effects[0].method, .plan.denied]' j
[true,"700\nre_1\n","shop/refund",[]]
$ jq -c .plan j | cmp - s.json; rm done; cloche sh --config c.json --apply s.json p.sh; cat done
700
null
{"amount":900}
$ cloche run --json -e 1 | jq .plan
null

# What is wrong is said, before anything runs.
$ cloche run --config c.json --apply plan.json twice.js
! cloche: plan.json is the plan of another program
[2]
$ chmod g+w plan.json; cloche run --config c.json --apply plan.json p.js
! cloche: others could have written the plan plan.json, so it approves nothing (--trust)
[2]
$ cloche run --config c.json --apply plan.json --trust p.js > /dev/null
$ cloche run --config c.json --apply c.json p.js
! cloche: c.json: this is no plan; cloche run --plan=FILE writes one
[2]
$ jq '.cloche_plan = 2' plan.json > f; cloche run --config c.json --apply f p.js
! cloche: f: a plan of format 2; this cloche reads format 1
[2]
$ jq '.effects[0].params = 7' plan.json > f; cloche run --config c.json --apply f p.js
! cloche: f: what the plan holds makes no sense
[2]
$ echo '{"mail/sent": 1}' > m; cloche run --config c.json --plan --mock m p.js
! cloche: m:1:2: the configuration has no tool "mail/sent"; did you mean "mail/send"?
[2]
$ cloche run --config c.json --plan --apply plan.json p.js
! cloche: --plan makes a plan, --apply does one: one of them
[2]
$ cloche run --config c.json --mock m p.js
! cloche: --mock has answers for a --plan, and there is none
[2]
$ cloche run --config c.json --plan --mount .:/data:rw p.js
! cloche: --mount: a plan is about calls, not about what is written to folders: . has to be mounted read-only
[2]
$ cloche run --config c.json --plan=no/such/folder/plan -e 'return 1'
! cloche: the plan no/such/folder/plan cannot be written: No such file or directory
[125]
# A program that fails has no plan.
$ cloche run --config c.json --plan=none -e 'await shop.refund({ amount: 1 }); null.x'
! TypeError: <...>
!     at <...>
! cloche: there is no plan, as the program did not end well
[1]
$ ls none
! <...>
[2]
