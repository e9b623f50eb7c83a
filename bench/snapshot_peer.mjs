// SPDX-License-Identifier: MIT
// snapshot_peer.mjs -- what it costs to save and restore a program that waits for one call, in Cloche and in quickjs-wasi, in one run.
//
//   node bench/snapshot_peer.mjs BENCH_SNAPSHOT
//
// BENCH_SNAPSHOT is build/bench_snapshot. quickjs-wasi is looked for where node looks. Its program waits for a
// promise whose resolver the host holds; a snapshot is taken and serialized, and it is deserialized and
// restored in an instance of a module that was compiled before, as its documentation does. The answer is then
// given, so that what was restored is seen to work.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const WARM_UP = 20, ROUNDS = 200;
const require = createRequire(pathToFileURL(process.cwd() + "/"));
const { QuickJS } = await import(pathToFileURL(require.resolve("quickjs-wasi")).href);
const wasm = await WebAssembly.compile(await readFile(require.resolve("quickjs-wasi/quickjs.wasm")));
const program = `
  const ask = () => new Promise((done) => { globalThis.answer = done; });
  (async () => { const name = (await ask({ q: 'name' })).name; globalThis.said = 'hello ' + name; })();`;

const us = () => Number(process.hrtime.bigint()) / 1000;
function print(what, times) {
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)].toFixed(1).padStart(8);
  console.log(`${what.padEnd(28)} median ${at(0.5)} us   p99 ${at(0.99)} us`);
}

async function round(saves, restores) {
  const vm = await QuickJS.create({ wasm });
  vm.evalCode(program).dispose();
  vm.executePendingJobs();
  let start = us();
  const bytes = QuickJS.serializeSnapshot(vm.snapshot());
  saves.push(us() - start);
  vm.dispose();
  start = us();
  const other = await QuickJS.restore(QuickJS.deserializeSnapshot(bytes), { wasm });
  restores.push(us() - start);
  other.evalCode("globalThis.answer({ name: 'you' })").dispose();
  other.executePendingJobs();
  const said = other.evalCode("globalThis.said");
  if (said.toString() !== "hello you") throw new Error(`it said ${said.toString()}`);
  said.dispose();
  other.dispose();
  return bytes.length;
}

console.log(execFileSync(process.argv[2], ["2000"], { encoding: "utf8" }).trimEnd());
let size = 0;
const saves = [], restores = [];
for (let i = -WARM_UP; i < ROUNDS; i++) size = await round(i < 0 ? [] : saves, i < 0 ? [] : restores);
console.log(`quickjs-wasi: a snapshot has ${size} bytes`);
print("quickjs-wasi: snapshot", saves);
print("quickjs-wasi: restore", restores);
