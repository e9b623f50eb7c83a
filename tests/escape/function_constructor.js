//! end: done
//! value: []
//! why: code made from text sees what other code sees, and that holds nothing of the host
const names = ['Deno', 'Bun', 'std', 'os', '__dirname', 'WebAssembly', 'SharedWorker', 'XMLHttpRequest', 'Java', 'scriptArgs'];
const global = new Function('return this')();
const AsyncFunction = (async () => {}).constructor, Generator = (function* () {}).constructor;
const found = names.filter((name) => typeof global[name] !== 'undefined');
for (const make of [Function, AsyncFunction, Generator])
  for (const name of names) if (make(`return typeof ${name} !== 'undefined'`)() === true) found.push(name);
return found;
