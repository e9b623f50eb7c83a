//! end: done
class A { #x = 1; static has(o) { return #x in o } get x() { return this.#x } }
class Return { constructor(o) { return o } }
class B extends Return { #y = 2; static y(o) { return o.#y } }
const p = new Proxy({}, {});
new B(p); B.y(p); A.has(p);
try { new B(p) } catch (e) { if (!(e instanceof TypeError)) throw e }
try { Reflect.construct(A, [], Object).x } catch (e) { if (!(e instanceof TypeError)) throw e }
class C extends null { constructor() { try { super() } catch { } return {} } }
new C();
