import type { Kind } from "../plan/kind.ts";

/** The name of a kind in the words of a problem, with its article. */
export function kindWord({ type }: Kind): string {
  return type === "stream?" ? "an optional stream" : `a ${type}`;
}
