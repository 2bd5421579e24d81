/** The additions of middleware to the context of a call, by its request. */
export const states = new WeakMap<Request, object>();
