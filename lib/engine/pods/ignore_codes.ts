import { EngineError, type ErrorCode } from "../errors.ts";

/** Resolves with nothing where the work fails with one of these codes. */
export async function ignoreCodes<T>(codes: readonly ErrorCode[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
