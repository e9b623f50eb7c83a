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
>       "properties": { "left": { "$ref": "#" } } } }
> ] }
> E
$ cloche tools --config c.json
odd-name
stripe/charges         All of them.
stripe/charges/create  Charge a customer.
stripe/charges-old
tree

# Where a tool runs is not the program's to know.
$ cloche tools --config c.json --json | grep -c -e secret-path -e hunter2
0
[1]
$ cloche tools --config c.json --json | jq -c '.[] | [.name, keys]'
["stripe/charges/create",["description","input_schema","name","output_schema"]]
["stripe/charges",["description","name"]]
["stripe/charges-old",["name"]]
["odd-name",["name"]]
["tree",["input_schema","name"]]

$ cloche tools --config c.json --types
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
$ cloche run -e 'return { tools: Object.getOwnPropertyNames(globalThis).map((name) => ({ name: name + "/x" })) }' > own.json
$ cloche run --config own.json -e 'return listTools().map((name) => getToolInfo(name).usage).filter((usage) => !usage.startsWith("tools."))'
[]
$ cloche tools --config own.json --types | grep -c 'declare const'
1
