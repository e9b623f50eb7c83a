//! end: done
//! value: ["TypeError",1]
function* g() { try { it.next() } catch (e) { yield e.name } yield 1 }
const it = g();
return [it.next().value, it.next().value];
