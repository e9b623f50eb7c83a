//! end: done
//! calls: 40
//! value: "done"
//! why: tests/suspend stops and moves it at every one of them
for (let i = 0; i < 40; i++) await ping({ n: 1, i });
return 'done';
