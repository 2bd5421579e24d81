import type { TerminalSize } from "../../lib/engine/records/spec_parts.ts";

/** Reads height and width; none where either is 0, which is how clients say that they do not know. */
export function terminalSize(size: readonly number[] | null | undefined): TerminalSize | undefined {
  const [height = 0, width = 0] = size ?? [];
  return height > 0 && width > 0 ? { height, width } : undefined;
}
