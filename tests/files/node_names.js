// SPDX-License-Identifier: MIT
// What a module offers, by name, in Node and here: for node_names.py.
const fs = require('fs');
const own = (object) => [...new Set([...Object.keys(object), ...(object === Object(object) ? Object.getOwnPropertyNames(object) : [])])]
  .filter((name) => !['length', 'name', 'prototype', 'arguments', 'caller', 'constructor', 'default'].includes(name)).sort();
(async () => {
  const found = {};
  for (const name of ['fs', 'fs/promises', 'path', 'util', 'util/types', 'assert', 'events', 'url', 'os']) found[name] = own(require(name));
  const handle = await fs.promises.open('/dev/null', 'r');
  found.FileHandle = own(Object.getPrototypeOf(handle));
  await handle.close();
  const dir = await fs.promises.opendir('/');
  found.Dir = [...own(fs.Dir.prototype), ...Object.keys(dir)];
  await dir.close();
  found.Dirent = own(fs.Dirent.prototype);
  found.Stats = own(fs.Stats.prototype);
  found['events.EventEmitter'] = own(require('events').EventEmitter.prototype);
  console.log(JSON.stringify(found));
})();
