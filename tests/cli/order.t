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
