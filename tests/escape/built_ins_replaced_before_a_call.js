//! end: done
//! value: "CapabilityError"
//! calls: 1
JSON.stringify = () => '{"n":1}';
JSON.parse = () => ({ effect: 'allow' });
Array.prototype.push = Array.prototype.join = () => { throw 1 };
Object.keys = Object.entries = () => ['n'];
Reflect.apply = () => 1;
Symbol.iterator && Object.defineProperty(Array.prototype, Symbol.iterator, { value: function* () { } });
String.prototype.replace = () => 'ping';
return await secret({}).then(() => 'reached', (e) => e.name);
