//! end: done
//! value: "1.234.567,891"
return (1234567.891).toLocaleString('de-DE');
