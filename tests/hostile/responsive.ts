/** Whether a server answers while it is attacked, told without a clock: an idle server on the same machine is the measure. */
import type { Server } from "../fixtures/server.ts";

/** So many answers of the idle server, one after the other, take a second or longer; on a loaded machine longer. */
const ANSWERS = 50;
const PAUSE = 20;

/** Watches a server until it is disposed of. */
export class Responsive implements AsyncDisposable {
  readonly #server: Server;
  readonly #idle: Server;
  readonly #done: Promise<void>;
  #ends = false;
  /** What went wrong: a standstill, or no answer at all. */
  readonly failures: string[] = [];

  constructor(server: Server, idle: Server) {
    this.#server = server;
    this.#idle = idle;
    this.#done = this.#watch();
  }

  async #watch(): Promise<void> {
    while (!this.#ends) {
      await this.check();
      await pause();
    }
  }

  /** Pings once; a failure is kept, not thrown, since the work meanwhile has failures of its own. */
  async check(): Promise<void> {
    let answered = false;
    const [started, waited] = [performance.now(), queuedFor(this.#server)];
    const ping = answers(this.#server).then(() => answered = true, (error) => {
      answered = true;
      this.failures.push(`The server does not answer: ${error}`);
    });
    let count = 0;
    for (; !answered; count++) {
      await pause();
      // Thrown here it would be nobody's, and end the whole run.
      if (!answered) await answers(this.#idle).catch((error) => this.failures.push(`The idle server: ${error}`));
    }
    await ping;
    // On a loaded machine a server that works gets less of the processors than an idle one, which is served as soon as it wakes:
    // for as long as it was ready to go on and had none, it did not stand still.
    const queued = (queuedFor(this.#server) - waited) / (performance.now() - started);
    if (count * (1 - Math.min(1, queued)) > ANSWERS) {
      const part = `${Math.round(queued * 100)} % of the time without a processor`;
      this.failures.push(
        `The server stood still while an idle one answered ${count} times, one after the other; ${part}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ends = true;
    await this.#done;
  }
}

/** The milliseconds that a server's main thread has waited for a processor, in all (`/proc/PID/schedstat`); 0 when it has ended. */
function queuedFor({ pid }: Server): number {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

async function answers(server: Server): Promise<void> {
  const reply = await server.request("GET", "/libpod/_ping");
  await reply.body?.cancel();
  if (reply.status !== 200) throw new Error(`ping answered ${reply.status}`);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}
