/**
 * The course of one build as its clients follow it: steps (vertexes) with their times, what they print, and how far transfers are.
 *
 * @module
 */
import { type StatusValue, timeMessage, type VertexValue } from "./messages.ts";

/** Bytes of output that are kept for a client that comes late. */
const MOST_OUTPUT = 8 << 20;

/** One step of a build. */
export class BuildStep {
  readonly #log: BuildLog;
  readonly #vertex: VertexValue;
  #over = false;

  constructor(log: BuildLog, name: string) {
    this.#log = log;
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#vertex = { digest: `sha256:${hex}`, name, started: timeMessage(Date.now()) };
    this.#tell();
  }

  /** Prints what the step has printed. */
  print(text: string): void {
    const { digest } = this.#vertex;
    const msg = new TextEncoder().encode(text);
    this.#log.push({ logs: [{ vertex: digest!, timestamp: timeMessage(Date.now()), stream: 1, msg }] });
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

/** All that a build has told. */
export class BuildLog {
  readonly #told: StatusValue[] = [];
  #printed = 0;
  #wake = Promise.withResolvers<void>();
  #over = false;

  begin(name: string): BuildStep {
    return new BuildStep(this, name);
  }

  push(value: StatusValue): void {
    const size = value.logs?.reduce((sum, { msg }) => sum + msg.length, 0) ?? 0;
    this.#printed += size;
    // Steps are told of in any case.
    if (size > 0 && this.#printed > MOST_OUTPUT) return;
    this.#told.push(value);
    this.#changed();
  }

  end(): void {
    this.#over = true;
    this.#changed();
  }

  /** Gives everything from the beginning, until the build is over. */
  async *follow(signal: AbortSignal): AsyncGenerator<StatusValue> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    for (let at = 0; !signal.aborted;) {
      const { promise } = this.#wake;
      while (at < this.#told.length) yield this.#told[at++];
      if (this.#over) return;
      await Promise.race([promise, stopped]);
    }
  }

  #changed(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
