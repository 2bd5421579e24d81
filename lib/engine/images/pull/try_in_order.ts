import { EngineError } from "../../errors.ts";
import { pullFailureOf } from "../failures.ts";

/**
 * Tries references in order; when all fail, one error tells of each.
 *
 * @param what Says in that error what was tried
 */
export async function tryInOrder<R, T>(
  references: readonly R[],
  { signal, what }: { signal: AbortSignal; what: string },
  attempt: (reference: R) => Promise<T>,
): Promise<T> {
  const failures: EngineError[] = [];
  for (const reference of references) {
    try {
      return await attempt(reference);
    } catch (error) {
      const failure = pullFailureOf(error, signal);
      if (failure.code === "cancelled") throw failure;
      failures.push(failure);
    }
  }
  throw joinFailures(failures, what);
}

/** Several failures as one that tells of each; it has the first one's code. */
export function joinFailures(failures: readonly EngineError[], what: string): EngineError {
  if (failures.length === 1) return failures[0];
  const lines = failures.map(({ message }) => `\n * ${message}`).join("");
  const { code, status } = failures[0];
  return new EngineError(code, `${failures.length} errors occurred while ${what}:${lines}`, {
    cause: failures[0],
    status,
  });
}
