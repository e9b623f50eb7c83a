// JSON out and in, over records as tools return them.
const rows = Array.from({ length: 400 }, (_, i) => ({
  id: `tx_${i}`, amount: i * 37 % 1000, currency: ['USD', 'EUR', 'GBP'][i % 3],
  tags: ['a', 'b', 'c'].slice(i % 3), nested: { ok: i % 2 === 0, note: 'line\n"quoted" é' },
}));
let check = 0;
for (let round = 0; round < 60; round++) check += JSON.parse(JSON.stringify(rows)).length;
return check;
