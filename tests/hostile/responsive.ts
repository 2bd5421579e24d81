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
    const ping = answers(this.#server).then(() => answered = true, (error) => {
      answered = true;
      this.failures.push(`The server does not answer: ${error}`);
    });
    let count = 0;
    for (; !answered; count++) {
      await pause();
      if (!answered) await answers(this.#idle);
    }
    await ping;
    if (count > ANSWERS) {
      this.failures.push(`The server stood still while an idle one answered ${count} times, one after the other`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ends = true;
    await this.#done;
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
