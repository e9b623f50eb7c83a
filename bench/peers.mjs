// SPDX-License-Identifier: MIT
// peers.mjs -- a fresh sandbox in which `'hi'` is evaluated and which is then gone, in Cloche and in
// others, in one run.
//
//   node bench/peers.mjs CLOCHE [--json]
//
// Others are looked for where node looks (see the Makefile); what is not there is left out. Each is used
// as its own documentation does for one sandbox per program: quickjs-emscripten gets a new runtime and
// context in its one WebAssembly instance, quickjs-wasi a new instance of a module that was compiled
// before, isolated-vm a new isolate and context.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const WARM_UP = 30, ROUNDS = 300;
const require = createRequire(pathToFileURL(process.cwd() + "/"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const version = (name) => {
  const path = require.resolve(name).split(`node_modules/${name}/`)[0];
  return require(`${path}node_modules/${name}/package.json`).version;
};

const peers = {
  async "quickjs-emscripten"(library) {
    const engine = await library.getQuickJS();
    return async () => {
      const vm = engine.newContext();
      const value = vm.unwrapResult(vm.evalCode("'hi'"));
      const text = vm.getString(value);
      value.dispose();
      vm.dispose();
      return text;
    };
  },
  async "quickjs-wasi"(library) {
    const wasm = await WebAssembly.compile(await readFile(require.resolve("quickjs-wasi/quickjs.wasm")));
    return async () => {
      const vm = await library.QuickJS.create({ wasm });
      const value = vm.evalCode("'hi'");
      const text = value.toString();
      value.dispose();
      vm.dispose();
      return text;
    };
  },
  async "isolated-vm"(library) {
    const { Isolate } = library.default ?? library;
    return async () => {
      const isolate = new Isolate({ memoryLimit: 64 });
      const context = await isolate.createContext();
      const text = await context.eval("'hi'");
      isolate.dispose();
      return text;
    };
  },
};

async function measure(once) {
  const times = [];
  for (let i = -WARM_UP; i < ROUNDS; i++) {
    const start = process.hrtime.bigint();
    const text = await once();
    const time = Number(process.hrtime.bigint() - start);
    if (text !== "hi") throw new Error(`a peer answered ${text}`);
    if (i >= 0) times.push(time);
  }
  times.sort((a, b) => a - b);
  return { median_ns: times[ROUNDS >> 1], p99_ns: times[Math.floor(ROUNDS * 0.99)] };
}

const ours = JSON.parse(execFileSync(process.argv[2], ["bench", "--json"], { encoding: "utf8" }));
const rows = [
  { what: "Cloche, mapped", ...ours.fresh_mapped },
  { what: "Cloche, in a slot that is reused", ...ours.fresh_reused },
];
for (const [name, make] of Object.entries(peers)) {
  let library;
  try {
    library = await load(name);
  } catch {
    console.error(`${name} is not here`);
    continue;
  }
  rows.push({ what: `${name} ${version(name)}`, ...(await measure(await make(library))) });
}
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(rows));
} else {
  console.log(`${"a fresh sandbox, 'hi', gone".padEnd(40)}${"median".padStart(14)}${"p99".padStart(14)}`);
  for (const { what, median_ns, p99_ns } of rows)
    console.log(`${what.padEnd(40)}${(median_ns / 1000).toFixed(1).padStart(11)} us${(p99_ns / 1000).toFixed(1).padStart(11)} us`);
}
