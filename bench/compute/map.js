// Map and Set with string and number keys.
const counts = new Map(), seen = new Set();
for (let i = 0; i < 300000; i++) {
  const key = 'k' + (i * 7919) % 5003;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  seen.add(i % 1009);
}
let check = 0;
for (const [key, count] of counts) check += key.length * count;
return check + seen.size;
