//! end: done
//! calls: 1
//! value: [true, [0, 255, 128]]
const r = await ping({ n: 1, data: new Uint8Array([0, 255, 128]) });
return [r.data instanceof Uint8Array, Array.from(r.data)];
