// SPDX-License-Identifier: MIT
// signals.js ADDON -- guests trap inside Node, and Node, its own faults and those of others go on.
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const addon = require(isMainThread ? require('node:path').resolve(process.argv[2]) : workerData);

// Node catches accesses outside a WebAssembly memory with a SIGSEGV handler of its own.
const module_ = new WebAssembly.Module(new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 108, 0, 0,
  10, 9, 1, 7, 0, 32, 0, 40, 2, 0, 11]));
function wasmTraps() {
  const load = new WebAssembly.Instance(module_).exports.l;
  assert.strictEqual(load(0), 0);
  assert.throws(() => load(100000000), WebAssembly.RuntimeError);
}

function guestsTrap() {
  for (let i = 0; i < 20; i++) {
    assert.strictEqual(addon.run('w90000v'), 'done');
    assert.strictEqual(addon.run('w4000000000'), 'trap');
    assert.strictEqual(addon.run('d'), 'limit.stack');
  }
}

if (!isMainThread) {
  guestsTrap();
  wasmTraps();
  parentPort.postMessage('fine');
} else {
  wasmTraps();
  guestsTrap(); // over Node's handler
  wasmTraps();
  const worker = new Worker(__filename, { workerData: require('node:path').resolve(process.argv[2]) });
  worker.on('error', (error) => { throw error });
  worker.once('message', (message) => {
    assert.strictEqual(message, 'fine');
    wasmTraps();
    addon.install(); // over ours, and it calls nobody
    assert.strictEqual(addon.fault(), 1);
    guestsTrap(); // ours is over it again
    assert.strictEqual(addon.fault(), 2);
    addon.install();
    guestsTrap();
    assert.strictEqual(addon.fault(), 3);
    setTimeout(() => {
      global.gc?.();
      console.log('guests trapped, and Node went on');
    }, 10);
  });
}
