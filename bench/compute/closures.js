// Objects, closures, destructuring and iteration: a small pipeline of functions.
const compose = (...steps) => (value) => steps.reduce((x, step) => step(x), value);
const account = (balance) => ({
  deposit: (n) => account(balance + n), fee: (n) => account(balance - n), get: () => balance });
const run = compose((a) => a.deposit(10), (a) => a.fee(1), (a) => a.deposit(3));
let all = account(0);
for (let i = 0; i < 60000; i++) all = run(all);
class Point { constructor(x, y) { this.x = x; this.y = y; } add({ x, y }) { return new Point(this.x + x, this.y + y); } }
let at = new Point(0, 0);
for (let i = 0; i < 200000; i++) at = at.add({ x: i % 3, y: 1 });
return all.get() + at.x + at.y;
