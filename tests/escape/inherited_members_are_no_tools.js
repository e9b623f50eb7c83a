//! end: done
//! value: []
//! why: C6
const reached = [];
for (const name of ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', 'isPrototypeOf']) {
  try {
    const member = tools[name];
    const answer = typeof member === 'function' ? await member({}) : await member?.x?.({});
    if (answer !== undefined && typeof answer === 'object' && answer?.n !== undefined) reached.push(name);
  } catch { }
}
return reached;
