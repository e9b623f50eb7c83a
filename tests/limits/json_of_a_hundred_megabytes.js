//! end: limit.time limit.memory exception
//! options: --timeout 500ms --memory 256MiB
const row = { name: 'x'.repeat(50), list: [1, 2, 3, null, true], deep: { a: { b: 1.5 } } };
const rows = Array.from({ length: 800000 }, () => row);
for (;;) JSON.parse(JSON.stringify(rows));
