import { EngineError } from "../../../engine/errors.ts";
import type { TerminalSize } from "../../../engine/records/spec_parts.ts";
import type { Nursery } from "./nursery/nursery.ts";

/**
 * Sets the size of a terminal through its supervisor, which reads its FIFO `control`. Resolves when the terminal has that size. Of two calls
 * for one terminal the second is not to begin before the end of the first. Throws what `gone` gives where there is no supervisor any more.
 */
export async function resizeTerminal(
  nursery: Nursery,
  control: string,
  { height, width }: TerminalSize,
  gone: () => Error,
): Promise<void> {
  const said = await nursery.resize([control, String(height), String(width)]);
  if (said === "gone\n") throw gone();
  // A program that ends by itself without a word was ended by the kernel.
  if (said !== "resized\n") throw new EngineError("internal", "Resize terminal: the helper ended");
}
