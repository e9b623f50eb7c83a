// SPDX-License-Identifier: MIT
// shell_peer.mjs -- runs a shell program in one of the peers from npm: bench/shell.py --peers DIR.
//
//   node shell_peer.mjs DIR bashkit|just-bash ROUNDS PROGRAM [FILE]
//
// DIR holds node_modules. FILE becomes ./input. Prints nanoseconds for each round, as bench/shell.c does:
// a new shell each time, measured with it, or without it where there is a FILE.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [folder, name, rounds, program, file] = process.argv.slice(2);
const load = createRequire(resolve(folder, "x.js"));
const input = file === undefined ? undefined : readFileSync(file, 'utf8');
const cpu = process.env.BENCH_CPU === '1';
const now = () => {
  if (!cpu) return process.hrtime.bigint();
  const { user, system } = process.cpuUsage();
  return BigInt(user + system) * 1000n;
};
const limits = { maxCallDepth: 1e6, maxCommandCount: 1e9, maxLoopIterations: 1e9 };

async function once() {
  let begun = now(), result;
  if (name === 'bashkit') {
    const { Bash } = load('@everruns/bashkit');
    const bash = new Bash({ maxCommands: 1e9, maxLoopIterations: 1e9 });
    if (input !== undefined) { bash.writeFile('/home/user/input', input); begun = now(); }
    result = bash.executeSync(input === undefined ? program : `cd /home/user; ${program}`);
  } else {
    const { Bash } = load('just-bash');
    const bash = new Bash({ cwd: '/w', executionLimits: limits, ...(input === undefined ? {} : { files: { '/w/input': input } }) });
    if (input !== undefined) begun = now();
    result = await bash.exec(program);
  }
  const took = now() - begun;
  if ((result.exitCode ?? 0) > 1) throw new Error(`${result.exitCode}: ${result.stderr}`);
  return took;
}

for (let i = 0; i < Number(rounds); i++) console.log(String(await once()));
