import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Tells a supervisor the size of its terminal, by its FIFO `ctl`. Throws what `gone` gives where there is no supervisor any more. */
export async function resizeTerminal(
  control: string,
  { height, width }: { height: number; width: number },
  gone: () => Error,
): Promise<void> {
  // Without waiting for a reader: there is none when the supervisor has ended.
  const fifo = await open(control, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => {
    throw gone();
  });
  try {
    await fifo.write(`1 ${height} ${width}\n`);
  } finally {
    await fifo.close();
  }
}
