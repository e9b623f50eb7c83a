//! end: done
//! value: true
//! calls: 3
let reads = 0;
const argument = new Proxy({}, {
  ownKeys: () => ['n'],
  getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1000 }),
  get: (t, key) => key === 'n' ? (reads++ % 2 === 0 ? 1 : 1000) : undefined,
});
for (let i = 0; i < 3; i++) {
  try { const answer = await ping(argument); if (answer.n > 5) return answer } catch (e) { if (e.name !== 'CapabilityError') throw e }
}
return true;
