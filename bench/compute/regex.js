// Regular expressions over a log.
const lines = Array.from({ length: 3000 }, (_, i) =>
  `2026-11-${String(i % 28 + 1).padStart(2, '0')} host${i % 17} GET /items/${i}?q=${i * 31 % 977} ${i % 7 ? 200 : 503}`);
const pattern = /^(\d{4})-(\d\d)-(\d\d) (\w+) (GET|POST) (\/[^ ?]*)(?:\?(\S+))? (\d{3})$/;
let check = 0;
for (let round = 0; round < 12; round++)
  for (const line of lines) {
    const found = pattern.exec(line);
    if (found[8] === '503') check += found[6].replace(/\d+/g, '#').length;
  }
return check;
