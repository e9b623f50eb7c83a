// Array.prototype.sort with a comparator, over pseudo-random numbers.
let seed = 42;
const next = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
const numbers = Array.from({ length: 120000 }, next);
numbers.sort((a, b) => a - b);
let check = 0;
for (let i = 0; i < numbers.length; i += 1000) check = (check * 31 + numbers[i]) % 1000000007;
return check;
