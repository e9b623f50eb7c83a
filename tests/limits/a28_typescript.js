//! end: syntax
//! message: TypeScript
const x: number = 1;
return x;
