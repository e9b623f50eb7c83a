//! end: done
//! value: ["caught","caught","caught","caught"]
const deep = [['(', ')'], ['[', ']'], ['{a:', '}'], ['`${', '}`']];
return deep.map(([open, close]) => {
  try { new Function('return ' + open.repeat(1e5) + '1' + close.repeat(1e5))(); return 'parsed' }
  catch (e) { return e instanceof SyntaxError || e instanceof RangeError ? 'caught' : e.name }
});
