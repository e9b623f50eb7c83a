// Building, splitting and joining strings.
let text = '';
for (let i = 0; i < 200000; i++) text += String.fromCharCode(97 + i % 26) + (i % 10 === 0 ? ' ' : '');
let check = 0;
for (let round = 0; round < 6; round++) {
  const words = text.split(' ').map((w) => w.toUpperCase() + w.slice(1, 3));
  check += words.join('-').length + words.filter((w) => w.includes('QR')).length;
}
return check;
