//! end: exception
//! calls: 2
//! error: ToolError
//! message: exit status 1
try { await broken({}) } catch (e) { if (!(e instanceof ToolError)) return e.name }
await broken({});
