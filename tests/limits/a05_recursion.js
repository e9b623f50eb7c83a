//! end: done
//! value: ["RangeError","RangeError"]
//! why: A5: at top level and inside a job
function f() { return f() }
const caught = [];
try { f() } catch (e) { caught.push(e.name) }
await Promise.resolve().then(() => f()).catch((e) => caught.push(e.name));
return caught;
