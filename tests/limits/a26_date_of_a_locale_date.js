//! end: done
//! value: "number"
const t = new Date(new Date().toLocaleDateString()).getTime();
return Number.isNaN(t) ? 'NaN' : typeof t;
