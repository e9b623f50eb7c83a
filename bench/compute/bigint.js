// BigInt: a factorial and its digits.
let product = 1n;
for (let i = 1n; i <= 6000n; i++) product *= i;
let check = 0;
for (const digit of String(product)) check += Number(digit);
return check;
