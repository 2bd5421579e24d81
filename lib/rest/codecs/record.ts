/** Whether a value is an object of JSON: not null, not a list, nothing with a class of its own. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) &&
    !(value instanceof Uint8Array);
}
