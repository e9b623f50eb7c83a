//! end: done
//! value: "whole"
async function* numbers() { yield 1; yield 2 }
const g = numbers();
let entered = 0;
Object.defineProperty(Object.prototype, 'then', {
  configurable: true,
  get() { if (entered++ < 5) { g.next(); g.return(3) } return undefined },
});
const seen = [g.next(), g.next(), g.return(7)];
await seen[0]; await seen[1]; await seen[2];
delete Object.prototype.then;
return 'whole';
