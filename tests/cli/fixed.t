What the policy sets is in no signature that a program, or a person, is shown.

$ cat > c.json <<'E'
> { "tools": [ { "name": "db/query", "command": ["cat"], "input_schema": { "type": "object", "required": ["table", "tenant"], "properties": {
>     "table": { "type": "string" }, "tenant": { "type": "string" },
>     "options": { "type": "object", "required": ["dry_run"], "properties": { "dry_run": { "type": "boolean" }, "limit": { "type": "integer" } } } } } } ],
>   "policy": { "rules": [ { "pattern": "db/*", "effect": "allow", "set": { "tenant": "acme", "options/dry_run": true } } ] } }
> E
$ cloche run --config c.json -e 'return getToolInfo("db.query").usage'
db.query({ table: string, options?: object })
$ cloche run --config c.json -e 'const schema = getToolInfo("db.query").inputSchema; return [schema.required, Object.keys(schema.properties), Object.keys(schema.properties.options.properties)]'
[["table"],["table","options"],["limit"]]
$ cloche tools --config c.json --types
declare const tools: {
  db: {
    query(params: { table: string; options?: { limit?: number } }): Promise<any>;
  };
};
declare const db: typeof tools.db;
$ cloche tools --config c.json --json | jq -c '.[0].input_schema.required'
["table"]

# The tool gets it; the program may not send it.
$ cloche run --config c.json -e 'return await db.query({ table: "orders", options: { limit: 5 } })'
{"table":"orders","options":{"limit":5,"dry_run":true},"tenant":"acme"}
$ cloche run --config c.json -e 'await db.query({ table: "orders", tenant: "other" })'
! CapabilityError: The parameter "tenant" is set by the policy; leave it out.
!     at <...>
[1]
