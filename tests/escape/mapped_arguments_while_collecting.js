//! end: done
//! why: CVE-2026-37630, quickjs-ng issue 1400: the collector looks at arguments that are still variables
function churn() { const all = []; for (let i = 0; i < 30000; i++) { const o = { i }; o.self = o; all.push(o) } return all.length }
const f = new Function('churn', 'a', 'b', 'arguments; churn(); a = { a }; churn(); return arguments');
for (let i = 0; i < 3; i++) f(churn, {}, [i]);
const g = new Function('churn', 'a', 'const k = () => a; arguments[1] = k; churn(); delete arguments[1]; churn(); return [k, arguments]');
g(churn, 1);
