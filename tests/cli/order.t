# Rules that look at what happened before, in rules that have no budget.
$ cat > c.json <<'EOF'
> { "tools": [ { "name": "ask", "command": ["cat"] }, { "name": "pay", "command": ["cat"] }, { "name": "fail", "command": ["false"] } ],
>   "policy": { "rules": [
>     { "pattern": "ask", "effect": "allow" },
>     { "pattern": "fail", "effect": "allow" },
>     { "pattern": "pay", "effect": "allow", "after": { "call": "ask", "same": "id" }, "not_after": [ "fail", { "call": "pay", "same": "id" } ] } ] } }
> EOF
$ cat > try.js <<'EOF'
> const tried = async (tool, id) => { try { await tool({ id }); return "done"; } catch (error) { return error.code; } };
> return [await tried(pay, 1), await tried(ask, 1), await tried(fail, 1), await tried(pay, 2), await tried(pay, 1), await tried(pay, 1)].join(" ");
> EOF
$ cloche run --config c.json try.js 2> errors
order done tool.failed order done order

# Of calls made together, not_after sees none; with max_concurrent one at a time is made, also of two rules that share it.
$ cat > together.json <<'EOF'
> { "tools": [ { "name": "pay", "command": ["sh", "-c", "sleep 0.1; cat"] }, { "name": "refund", "command": ["sh", "-c", "sleep 0.1; cat"] } ],
>   "policy": { "budgets": { "money": { "max_concurrent": 1 } }, "rules": [
>     { "pattern": "pay", "effect": "allow", "not_after": [ { "call": "pay", "same": "id" }, { "call": "refund", "same": "id" } ], "budget": "money" },
>     { "pattern": "refund", "effect": "allow", "not_after": { "call": "pay", "same": "id" }, "budget": "money" } ] } }
> EOF
$ cat > together.js <<'EOF'
> const all = async (...calls) => (await Promise.allSettled(calls)).map(({ reason }) => reason?.code ?? "done");
> return [...await all(pay({ id: 1 }), pay({ id: 1 }), refund({ id: 1 })), ...await all(pay({ id: 1 })), ...await all(refund({ id: 1 }))].join(" ");
> EOF
$ cloche run --config together.json together.js
done budget budget order order
