// SPDX-License-Identifier: MIT
/* suspend_test.c -- JavaScript and shell programs that are moved whenever they wait, in all ways
 * that drive.h knows: written ones where it is known to be hard, and random ones. */
#include "drive.h"

typedef struct {
  const char *name;
  cloche_language language;
  size_t least; /* moves */
  const char *text;
} program;

static const program programs[] = {
    {"40 calls one after another", CLOCHE_JAVASCRIPT, 80,
     "for (let i = 0; i < 40; i++) { await echo({ i }) } return 'done'"},
    {"a loop in finally after the call", CLOCHE_JAVASCRIPT, 2,
     "let n = 0; try { await echo({}) } finally { for (let i = 0; i < 1e5; i++) n += i } return n"},
    {"two at once, in either order", CLOCHE_JAVASCRIPT, 3,
     "const r = await Promise.all([echo({ a: 1 }), ask({ b: 2 })]); return r"},
    {"a race, and one that nobody waits for", CLOCHE_JAVASCRIPT, 2,
     "const r = await Promise.race([echo({ a: 1 }), echo({ a: 2 })]); console.log(r.a); return 1"},
    {"errors through try and finally", CLOCHE_JAVASCRIPT, 4,
     "const out = []; for (let i = 0; i < 3; i++) { try { await fail({ i }) } catch (e) {"
     " out.push(e.name + e.message) } finally { out.push((await echo({ i })).i) } } return out"},
    {"an asynchronous generator", CLOCHE_JAVASCRIPT, 6,
     "async function* g(n) { try { for (let i = 0; i < n; i++) yield (await echo({ i })).i }"
     " finally { console.log('end', (await echo({ i: 9 })).i) } }"
     "let sum = 0; for await (const v of g(5)) { sum += v; if (v === 3) break } return sum"},
    {"for await over promises", CLOCHE_JAVASCRIPT, 3,
     "let s = ''; for await (const x of [echo({ i: 1 }), 2, echo({ i: 3 })]) s += "
     "JSON.stringify(x);"
     "return s"},
    {"timers that are pending", CLOCHE_JAVASCRIPT, 2,
     "let ticks = 0; const t = setInterval(() => { if (++ticks === 3) clearInterval(t) }, 10);"
     "await new Promise((done) => setTimeout(done, 100)); const a = await echo({ a: 1 });"
     "await new Promise((done) => setTimeout(done, 5)); return [ticks, a]"},
    {"a map, a closure, a regular expression that remembers", CLOCHE_JAVASCRIPT, 4,
     "const m = new Map([[{}, 1]]), r = /a(.)/g; let s = 'abacad', hits = [];"
     "for (let k; (k = r.exec(s)); ) { hits.push(k[1], r.lastIndex); await echo({ at: r.lastIndex "
     "}) }"
     "return [hits, m.size, Math.random()]"},
    {"files", CLOCHE_JAVASCRIPT, 2,
     "fs.writeFileSync('/workspace/a', 'x'.repeat(100000)); await echo({ i: 1 });"
     "fs.appendFileSync('/workspace/a', 'y'); await echo({ i: 2 });"
     "return fs.readFileSync('/workspace/a', 'utf8').length"},
    {"much memory", CLOCHE_JAVASCRIPT, 2,
     "const big = Array.from({ length: 200000 }, (_, i) => ({ i })); await echo({ i: 1 });"
     "return big.reduce((a, b) => a + b.i, 0)"},
    {"an error that ends it", CLOCHE_JAVASCRIPT, 2, "await echo({}); null.x"},
    {"a loop", CLOCHE_SHELL, 6,
     "for i in 1 2 3; do x=$(tool echo --n $i | jq .n); echo \"got $x\"; done; exit 3"},
    {"a pipeline that reads line by line", CLOCHE_SHELL, 6,
     "seq 3 | while read -r n; do tool echo --n \"$n\" | jq -c .; done | tac"},
    {"both ends of a pipeline wait", CLOCHE_SHELL, 4,
     "{ tool echo --n 1; tool echo --n 2; } | { read -r a; tool echo --n 3; echo \"$a\"; cat; }"},
    {"a function, a subshell and a trap", CLOCHE_SHELL, 4,
     "trap 'echo bye' EXIT; f() { local v=$1; (v=$((v + 1)); tool echo --v $v | jq .v); echo $v; };"
     "f 1; f 5; exit 4"},
    {"a failing tool in a condition", CLOCHE_SHELL, 2,
     "if tool fail --n 1; then echo yes; else echo \"no $?\"; fi"},
    {"background jobs", CLOCHE_SHELL, 4,
     "tool echo --n 1 > a & tool echo --n 2 > b & wait; cat a b"},
    {"a here document half read", CLOCHE_SHELL, 4,
     "while read -r a b; do tool echo --k $a | jq -r .k; echo \"$b\"; done <<E\n1 x\n2 y\nE\n"},
};

TEST(written_programs_do_the_same_in_all_ways) {
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    TEST_ROW(programs[i].name);
    all_ways_agree(programs[i].language, programs[i].text, programs[i].least, CARRIED);
  }
}

TEST(in_fresh_processes_too) {
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    if (i % 3 != 0 && i != 1) continue;
    TEST_ROW(programs[i].name);
    all_ways_agree(programs[i].language, programs[i].text, programs[i].least, WAYS);
  }
}

/* ---- random programs ---- */

static uint64_t state;
static unsigned pick(unsigned below) { /* xorshift64*, Vigna 2014 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (unsigned)(state * 2685821657736338717u >> 33) % below;
}

static const char *const js_statements[] = {
    "x = (await echo({ n: x })).n + %u;",
    "for (let i = 0; i < %u %% 4; i++) { x += (await echo({ n: i })).n; console.log(x) }",
    "x += (await Promise.all([echo({ n: 1 }), ask({ n: %u }), echo({ n: x })]))[1].n;",
    "try { await fail({ n: x }) } catch (e) { x += e.message.length + %u } finally { log.push(x) }",
    /* Not beside a call: how long that takes is not the same in all ways. */
    "while (later.length) await later.pop(); await new Promise((done) => setTimeout(done, %u));",
    "for await (const v of gen(%u %% 5)) x += v;",
    "log.push([1, 2, 3].map((v) => v * %u + x));",
    "x += await (async () => { await null; return (await echo({ n: %u })).n })();",
    "later.push(echo({ n: %u }).then((r) => { x += r.n }));",
    "while (later.length) await later.pop(); x %%= 1000 + %u;",
    "x += Math.floor(Math.random() * %u);",
};
static const char *const sh_statements[] = {
    "x=$(tool echo --n $((x + %u)) | jq .n); ",
    "for i in 1 2; do tool echo --n $i; done | while read -r l; do echo \"$l %u\"; done; ",
    "tool fail --n %u || x=$((x + 1)); ",
    "( x=$((x * 2)); tool echo --n $x; exit %u ); echo \"$? $x\"; ",
    "seq %u | head -n 3 | while read -r l; do x=$l; tool echo --l $l > /dev/null; done; ",
    "f() { tool ask --n $1 | jq -c .; }; f %u; ",
    "case $x in *3*) tool echo --c %u;; *) echo other;; esac; ",
    "tool echo --n %u > file; read -r x2 < file; echo \"$x2\"; ",
};

static void write_program(cloche_language language, char *text, size_t size) {
  bool js = language == CLOCHE_JAVASCRIPT;
  size_t kinds = js ? sizeof js_statements / sizeof *js_statements
                    : sizeof sh_statements / sizeof *sh_statements;
  int at = snprintf(text, size, "%s",
                    js ? "let x = 1; const log = [], later = []; async function* gen(n) {"
                         " for (let i = 0; i < n; i++) yield (await echo({ i })).i }\n"
                       : "x=1\n");
  for (unsigned i = 0, n = 2 + pick(5); i < n; i++) {
    const char *form =
        js ? js_statements[pick((unsigned)kinds)] : sh_statements[pick((unsigned)kinds)];
    at += snprintf(text + at, size - (size_t)at, form, pick(20));
    at += snprintf(text + at, size - (size_t)at, "\n");
  }
  snprintf(text + at, size - (size_t)at, "%s", js ? "return [x, log]" : "echo \"$x\"");
}

TEST(random_programs_do_the_same_in_all_ways) {
  char text[4096];
  const char *count = getenv("CLOCHE_PROGRAMS");
  unsigned long programs_wanted = count == NULL ? 20 : strtoul(count, NULL, 10);
  for (unsigned long i = 0; i < programs_wanted; i++) {
    state = 88172645463325252u + i * 0x9e3779b97f4a7c15u;
    cloche_language language = i % 2 == 0 ? CLOCHE_JAVASCRIPT : CLOCHE_SHELL;
    write_program(language, text, sizeof text);
    all_ways_agree(language, text, 0, i % 10 == 0 ? WAYS : CARRIED);
  }
}

static const test_case cases[] = {TEST_ENTRY(written_programs_do_the_same_in_all_ways),
                                  TEST_ENTRY(in_fresh_processes_too),
                                  TEST_ENTRY(random_programs_do_the_same_in_all_ways)};

int main(int argc, char **argv) {
  own_path = argv[0];
  if (argc > 6 && strcmp(argv[1], "--go-on") == 0) return come_in(argv);
  return test_run_all(cases, sizeof cases / sizeof *cases, argc, argv);
}
