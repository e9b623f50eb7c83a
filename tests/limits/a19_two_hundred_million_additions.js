//! end: done
//! value: 199999990000000
//! options: --timeout none
let s = 0;
for (let i = 0; i < 2e7; i++) s += i;
return s;
