import { EngineError } from "../errors.ts";

/** The content that a digest and, where it is known, a size promise. */
interface Promised {
  digest?: string;
  size?: number;
}

/** Throws `EngineError("corrupt")` for content that is not what it was promised to be, with the same words for every source. */
export function checkContent(promised: Promised, found: { digest: string; size: number }): void {
  checkSize(promised, found.size);
  if (promised.digest === undefined || promised.digest === found.digest) return;
  throw new EngineError("corrupt", `Store ${promised.digest}: the content's digest is ${found.digest}`);
}

/** The same for the size alone. */
export function checkSize({ digest, size }: Promised, found: number): void {
  if (size === undefined || size === found) return;
  throw new EngineError("corrupt", `Store ${digest ?? "blob"}: ${found} bytes, expected ${size}`);
}
