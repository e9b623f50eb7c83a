The object of --json: its shape is a contract.

$ cloche run --json -e 'console.log("o"); console.error("e"); return [1]' > j; wc -l < j
1
$ jq -c keys_unsorted j
["end","ok","value","stdout","stderr","error","pending","snapshot","plan","files","cancelled","usage"]
$ jq -c 'del(.usage)' j
{"end":"done","ok":true,"value":[1],"stdout":"o\n","stderr":"e\n","error":null,"pending":[],"snapshot":null,"plan":null,"files":null,"cancelled":0}
$ jq -c '.usage | keys_unsorted' j
["fuel","wall_ms","waiting_ms","memory_bytes","image_bytes","calls","denied","output_bytes","output_dropped_bytes"]
$ jq -c '.usage | [.calls, .denied, .output_bytes, .output_dropped_bytes, .fuel > 0, .image_bytes > 0]' j
[0,0,4,0,true,true]

$ cloche run --json -e 'throw new TypeError("no")' > j
[1]
$ jq -c '[.end, .ok, .value]' j
["exception",false,null]
$ jq -c '.error | keys_unsorted' j
["kind","name","message","line","column","stack","inner"]
$ cloche run --json -e 'throw new Error("outer", { cause: new TypeError("within") })' | jq -c '.error | .inner, .stack'
[{"as":"cause","name":"TypeError","message":"within","line":1,"column":<...>}]
"    at <program> (program.js:1:<...>)\n  [cause] TypeError: within\n      at <program> (program.js:1:<...>)"
$ cloche run --json -e 'throw new Error("alone")' | jq -c .error.inner
[]
$ jq -c '.error | [.kind, .name, .message]' j
["exception","TypeError","no"]

# Strings are quoted here, raw in text.
$ cloche run --json -e 'return "x"' | jq -c .value
"x"
# The value of a program that is one expression.
$ cloche run --json -e '1 + 1' | jq -c .value
2
# Integers beyond 2^53.
$ cloche run --json -e 'return 9007199254740993n' | grep -o '"value":[0-9]*'
"value":9007199254740993
# Bytes that are no text.
$ cloche run --json -e 'console.log("\ud800")' | jq -c .stdout
"�\n"

$ cloche run --json --timeout 50ms -e 'for (;;);' | jq -c '[.end, .error.kind, .usage.wall_ms >= 50]'
["limit.time","limit.time",true]
$ cloche run --json --output 10 -e 'console.log("0123456789abcdef")' | jq -c '[.stdout, .usage.output_bytes, .usage.output_dropped_bytes]'
["0123456789",17,7]

# A forged kind is only a value.
$ cloche run --json -e 'throw { kind: "limit.time", end: "done" }' | jq -c '[.end, .error.kind]'
["exception","exception"]
