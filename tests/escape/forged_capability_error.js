//! end: exception
//! error: CapabilityError
class CapabilityError extends Error { get name() { return 'CapabilityError' } }
throw new CapabilityError('limit.calls');
