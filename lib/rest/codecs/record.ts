/** Whether a value is an object of JSON: not null, not a list, nothing with a class of its own. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) &&
  !(value instanceof Uint8Array);

/**
 * Puts a value into a struct, making the structs on the way, as copies where there are some; undefined is left out. The
 * schema refuses a value that is there and no struct.
 */
export function put(struct: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (value === undefined) return;
  let inner = value;
  if (rest.length > 0) {
    const before = struct[key];
    if (before !== undefined && !isRecord(before)) return;
    put(inner = { ...before }, rest, value);
  }
  // A plain assignment to `__proto__` would set the prototype.
  Object.defineProperty(struct, key, { value: inner, enumerable: true, writable: true, configurable: true });
}

/** Whether a value is a source of values: a channel, a stream, the result of an `async function*`. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
