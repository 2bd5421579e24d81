/**
 * The course of one build as its clients follow it: steps (vertexes) with their times, what they print, and how far transfers are.
 *
 * @module
 */
import { hexText } from "../../../lib/oci/bytes/bytes.ts";
import { type StatusValue, timeMessage, type VertexValue } from "./messages.ts";

/** Bytes of output that are kept for a client that comes late or reads slowly, and of a build that is over. */
const MOST_OUTPUT = 8 << 20;
const MOST_ENDED = 256 << 10;

/** One step of a build. */
export class BuildStep {
  readonly #log: BuildLog;
  readonly #vertex: VertexValue;
  #over = false;

  constructor(log: BuildLog, name: string) {
    this.#log = log;
    const digest = `sha256:${hexText(crypto.getRandomValues(new Uint8Array(32)))}`;
    this.#vertex = { digest, name, started: timeMessage(Date.now()) };
    this.#tell();
  }

  /** Prints what the step has printed. */
  print(text: string): void {
    this.#log.push(outputOf(this.#vertex.digest!, text));
  }

  /** Tells how many bytes have come. */
  count(name: string, current: number, isLast = false): void {
    const now = timeMessage(Date.now());
    const { digest, started } = this.#vertex;
    const status = { ID: name, vertex: digest!, name, current, total: 0, timestamp: now, started };
    this.#log.push({ statuses: [{ ...status, completed: isLast ? now : undefined }] });
  }

  /** The step is done, by an earlier build's result where it is `cached`. */
  end(outcome: { cached?: boolean; error?: string } = {}): void {
    if (this.#over) return;
    this.#over = true;
    const { cached = false, error = "" } = outcome;
    Object.assign(this.#vertex, { completed: timeMessage(Date.now()), cached, error });
    this.#tell();
  }

  #tell(): void {
    const { digest = "", name = "", started, completed, cached = false, error = "" } = this.#vertex;
    this.#log.push({ vertexes: [{ digest, inputs: [], name, cached, started, completed, error }] });
  }
}

/** All that a build has told: its steps, and the latest part of what they printed. */
export class BuildLog {
  /** In order; of output that is left out the step's digest stands there. */
  readonly #told: (StatusValue | string)[] = [];
  #kept = 0;
  /** The first entry that may be output. */
  #oldest = 0;
  #readers = 0;
  #wake = Promise.withResolvers<void>();
  #over = false;

  begin(name: string): BuildStep {
    return new BuildStep(this, name);
  }

  push(value: StatusValue): void {
    this.#told.push(value);
    this.#kept += sizeOf(value);
    this.#dropOldest(MOST_OUTPUT);
    this.#changed();
  }

  end(): void {
    this.#over = true;
    this.#changed();
    if (this.#readers === 0) this.#dropOldest(MOST_ENDED);
  }

  /** Gives everything from the beginning, until the build is over. Output that is no longer kept is named once for each step. */
  async *follow(signal: AbortSignal): AsyncGenerator<StatusValue> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const clipped = new Set<string>();
    this.#readers++;
    try {
      for (let at = 0; !signal.aborted;) {
        const { promise } = this.#wake;
        while (at < this.#told.length) {
          const value = this.#told[at++];
          if (typeof value !== "string") yield value;
          else if (!clipped.has(value)) {
            clipped.add(value);
            yield outputOf(value, "[earlier output is left out: there was too much of it]\n");
          }
        }
        if (this.#over) return;
        await Promise.race([promise, stopped]);
      }
    } finally {
      this.#readers--;
      if (this.#over && this.#readers === 0) this.#dropOldest(MOST_ENDED);
    }
  }

  #dropOldest(most: number): void {
    while (this.#kept > most && this.#oldest < this.#told.length) {
      const value = this.#told[this.#oldest];
      if (typeof value !== "string" && value.logs !== undefined) {
        this.#kept -= sizeOf(value);
        this.#told[this.#oldest] = value.logs[0].vertex;
      }
      this.#oldest++;
    }
  }

  #changed(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

/** Bytes that an entry of output takes up, with those of its objects; steps are kept in any case. */
function sizeOf({ logs = [] }: StatusValue): number {
  return logs.reduce((sum, { msg }) => sum + msg.length + 200, 0);
}

function outputOf(vertex: string, text: string): StatusValue {
  return { logs: [{ vertex, timestamp: timeMessage(Date.now()), stream: 1, msg: new TextEncoder().encode(text) }] };
}
