//! end: done
//! value: 1
//! calls: 1
ping({ n: 1 }).then((x) => x).catch(() => {});
return 1;
