//! end: limit.time
//! options: --timeout 200ms
await new Promise(() => { for (;;); }).catch(() => { for (;;); });
return 'went on';
