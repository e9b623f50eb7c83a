//! end: done
//! value: 2002
let o = [];
for (let i = 0; i < 1e3; i++) o = [o];
return JSON.stringify(o).length;
