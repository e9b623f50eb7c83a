The same image, program, answers, seed and time give the same output and the same fuel, however often and however busy the machine is (invariant 9).

$ cat > program.js <<'E'
> const seen = [Math.random(), Date.now(), performance.now(), crypto?.randomUUID?.() ?? null];
> for (let i = 0; i < 300000; i++) seen[0] += Math.sin(i) * Math.random();
> setTimeout(() => console.log("late", Date.now()), 1500);
> setInterval(() => console.log("often", Date.now()), 700);
> await new Promise((resolve) => setTimeout(resolve, 2000));
> console.log(new Date().toISOString(), performance.now());
> console.log([..."hello"].sort(() => Math.random() - 0.5).join(""), /(a+)+$/.test("a".repeat(18) + "b"));
> try { (function deep(n) { return deep(n + 1) + 1; })(0); } catch (error) { console.log(error.name); }
> return [seen, new Map([[1, 2]]).size, (2n ** 2000n).toString().length, 0.1 + 0.2, Math.pow(1.1, 77.3)];
> E
$ for i in 1 2 3 4; do cloche run --json --seed 7 --time 2026-03-01 program.js | jq -c '[.end, .value, .stdout, .usage.fuel, .usage.memory_bytes]' > one.$i & done; wait; cat one.? | sort -u | wc -l; jq -c '.[0]' one.1
1
"done"
$ cloche run --json --seed 8 --time 2026-03-01 program.js | jq -c '[.end, .value, .stdout, .usage.fuel, .usage.memory_bytes]' | cmp -s - one.1
[1]

# A script, with processes that take turns.
$ cat > script.sh <<'E'
> seq 1 2000 | awk '{ print $1 * RANDOM, $1 }' | sort -n | tail -3; echo $RANDOM; date +%s; yes | head -20000 | md5sum
> E
$ for i in 1 2 3; do cloche sh --json --seed 7 --time 2026-03-01 script.sh | jq -c '[.end, .stdout, .usage.fuel]' > two.$i & done; wait; cat two.? | sort -u | wc -l; jq -c '.[0]' two.1
1
"done"
