cloche tools: what a configuration grants.

$ cat > c.json <<'E'
> { "tools": [
>     { "name": "stripe/charges/create", "description": "Charge a customer.\nSecond line.",
>       "input_schema": { "type": "object",
>         "properties": { "amount": { "type": "integer", "description": "in cents */ really" },
>                         "currency": { "enum": ["USD", "EUR"] },
>                         "odd-name": { "type": ["string", "null"] },
>                         "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" } },
>                         "more": { "type": "object", "additionalProperties": { "type": "number" } } },
>         "required": ["amount", "currency"], "$defs": { "tag": { "type": "string" } } },
>       "output_schema": { "type": "object", "properties": { "id": { "type": "string" } },
>                          "required": ["id"] },
>       "command": ["python3", "secret-path.py"], "env": { "KEY": "hunter2" } },
>     { "name": "stripe/charges", "description": "All of them." },
>     { "name": "stripe.charges-old" },
>     { "name": "odd-name" },
>     { "name": "tree", "input_schema": { "type": "object",
>       "properties": { "left": { "$ref": "#" } } } },
>     { "name": "stripe/refunds", "description": "Nobody's." }
>   ],
>   "policy": { "rules": [ { "pattern": "**", "effect": "allow" }, { "pattern": "stripe/refunds", "effect": "deny" } ] } }
> E
$ cloche tools --config c.json
odd-name
stripe/charges         All of them.
stripe/charges/create  Charge a customer.
stripe/charges-old
tree
! cloche: 1 tool is not listed: no rule of the policy allows it

# Where a tool runs is not the program's to know.
$ cloche tools --config c.json --json 2> /dev/null | grep -c -e secret-path -e hunter2
0
[1]
$ cloche tools --config c.json --json 2> /dev/null | jq -c '.[] | [.name, keys]'
["stripe/charges/create",["description","input_schema","name","output_schema"]]
["stripe/charges",["description","name"]]
["stripe/charges-old",["name"]]
["odd-name",["name"]]
["tree",["input_schema","name"]]

$ cloche tools --config c.json --types 2> /dev/null
declare const tools: {
  "odd-name"(params: { [name: string]: any }): Promise<any>;
  stripe: {
    charges: {
      /** All of them. */
      (params: { [name: string]: any }): Promise<any>;
      /** Charge a customer. Second line. */
      /** amount: in cents * / really */
      create(params: { amount: number; currency: "USD" | "EUR"; "odd-name"?: string | null; tags?: Array<string>; more?: { [name: string]: number } }): Promise<{ id: string }>;
    };
    "charges-old"(params: { [name: string]: any }): Promise<any>;
  };
  tree(params: { left?: <...>any<...> }): Promise<any>;
};
declare const stripe: typeof tools.stripe;
declare const tree: typeof tools.tree;
$ echo '{}' > none.json; cloche tools --config none.json
$ cloche tools --config none.json --json
[]

# Each global that a program finds is a name that it cannot reach a tool by, and that is known.
$ cloche run -e 'return { tools: Object.getOwnPropertyNames(globalThis).map((name) => ({ name: name + "/x" })), policy: { rules: [{ pattern: "**", effect: "allow" }] } }' > own.json
$ cloche run --config own.json -e 'return listTools().map((name) => getToolInfo(name).usage).filter((usage) => !usage.startsWith("tools."))'
[]
$ cloche tools --config own.json --types | grep -c 'declare const'
1

# Each has its own description, also after one that is hidden.
$ echo '{ "tools": [ { "name": "a", "description": "No." }, { "name": "b", "description": "Yes." } ], "policy": { "rules": [ { "pattern": "b", "effect": "allow" } ] } }' > second.json
$ cloche tools --config second.json
b  Yes.
! cloche: 1 tool is not listed: no rule of the policy allows it

# What no rule allows is not shown to a program either. Calling it is a denial all the same, counted and recorded.
$ cloche run --config c.json -e 'return [listTools(), Object.keys(tools.stripe), "charges" in tools.stripe, __tools__.length, fs.readdirSync("/tools/stripe"), fs.readFileSync("/tools/index.d.ts", "utf8").includes("refunds")]'
[["stripe/charges/create","stripe/charges","stripe/charges-old","odd-name","tree"],["charges","charges-old"],true,5,["charges","charges-old.d.ts","charges.d.ts"],false]
$ cloche run --config c.json --ledger l --json -e 'try { await stripe.refunds({ id: 1 }) } catch (e) { return [e.name, e.code, e.message] }' | jq -c '[.value, .usage.calls, .usage.denied]'
[["CapabilityError","rule","The rule \"stripe/refunds\" denies it."],1,1]
$ jq -c 'select(.kind == "decision") | [.method, .params, .effect]' l
["stripe/refunds",{"id":1},"deny"]
$ cloche run --config c.json -e 'getToolInfo("stripe.refunds")'
! TypeError: the tool stripe/refunds is not granted: no rule of the policy allows it
! <...>
[1]
$ cloche sh --config c.json -c 'tool --list stripe.r; tool --help stripe.refunds; tool stripe.refunds --id 1'
! tool: there is no tool 'stripe.refunds'; `tool --list` shows those there are
! tool: stripe.refunds: CapabilityError: <...>
[1]
$ echo '{ "tools": [ { "name": "a" } ] }' > open.json; cloche tools --config open.json; cloche run --config open.json -e 'return [listTools(), typeof a]'
[[],"function"]
! cloche: 1 tool is not listed: there is no policy, and nothing else allows it
