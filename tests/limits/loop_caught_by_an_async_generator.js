//! end: limit.time
//! options: --timeout 200ms
async function* spin() { for (;;); }
await spin().next().catch(() => 'caught');
return 'went on';
