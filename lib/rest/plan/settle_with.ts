import type { Validated } from "./schema.ts";

/**
 * Goes on with what a schema says, at once or when it says so. The promise may fail unheard: where several schemas are asked, nobody waits for it
 * once another has refused its value at once, and a rejection that nobody hears of ends a process.
 */
export function settleWith<T, Made>(
  validated: Validated<T> | Promise<Validated<T>>,
  settle: (validated: Validated<T>) => Made,
): Made | Promise<Made> {
  if (!(validated instanceof Promise)) return settle(validated);
  const settled = validated.then(settle);
  settled.catch(() => {});
  return settled;
}
