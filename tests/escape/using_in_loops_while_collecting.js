//! end: done
//! why: quickjs-ng issue 1570: what a running async function holds, while cycles are collected
const churn = () => { for (let i = 0; i < 3000; i++) { const o = { i }; o.self = o } };
async function* items() { for (let i = 0; i < 30; i++) { churn(); yield { i, [Symbol.dispose]: churn, [Symbol.asyncDispose]: async () => churn() } } }
let text = 'async function walk(items, churn) { for await (const item of items()) { await using a = item; using b = item; churn(); await null } } return walk';
let walk;
try { walk = new Function(text)() } catch (e) { if (!(e instanceof SyntaxError)) throw e }
const first = items(); await first.next(); churn(); await first.return();
if (walk) await walk(items, churn);
