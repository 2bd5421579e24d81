import type { Frame, LogPlace, LogReadOptions } from "../../engine/ports/host_port.ts";

/** The log of a container, in the format of conmon's `k8s-file`, which the engine reads. */
export class PretendLog {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  readonly #waiting = new Set<() => void>();

  /** Adds output: a record for each line, and one that says `P` for the beginning of a line. */
  add({ stream, data }: Frame, time: number): void {
    const moment = `${new Date(time).toISOString().slice(0, -1)}000000+00:00`;
    const text = new TextDecoder().decode(data);
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    const records = lines.map((line) => `${moment} ${stream} F ${line}\n`);
    if (rest !== "") records.push(`${moment} ${stream} P ${rest}\n`);
    this.#pieces.push(new TextEncoder().encode(records.join("")));
    this.#wake();
  }

  /** Reads it, and on, until `followUntil` resolves. */
  read({ from, followUntil, signal }: LogReadOptions): ReadableStream<Uint8Array> {
    let index = from?.offset ?? 0;
    let isOver = followUntil === undefined;
    void followUntil?.then(() => {
      isOver = true;
      this.#wake();
    });
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake, { once: true });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        for (;;) {
          if (signal?.aborted) return controller.error(signal.reason);
          if (index < this.#pieces.length) return controller.enqueue(this.#pieces[index++].slice());
          if (isOver) return controller.close();
          await new Promise<void>((resolve) => this.#waiting.add(resolve));
        }
      },
    }, { highWaterMark: 0 });
  }

  /** The place where the last records begin, as the number of pieces before it. A piece may hold more than one record. */
  place(records: number, file: string): LogPlace {
    let offset = this.#pieces.length;
    for (let found = 0; offset > 0 && found < records; offset--) {
      found += this.#pieces[offset - 1].filter((byte) => byte === NEWLINE).length;
    }
    return { offset, file };
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

const NEWLINE = 10;
