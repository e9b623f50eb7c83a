//! end: done
//! value: 2
//! why: C7
"".sub.__proto__.__proto__.__defineGetter__('p', () => 1);
"".sub.__proto__.__proto__.__defineSetter__('then', () => { for (;;); });
return 1 + "".p;
