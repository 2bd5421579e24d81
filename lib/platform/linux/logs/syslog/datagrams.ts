import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { EngineError } from "../../../../engine/errors.ts";
import { findProgram } from "../../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../../helpers/spawn.ts";
import { frameOf, FrameReader, readPrompt } from "../../perl/frames.ts";
import { DATAGRAMS_PROGRAM, perlArguments } from "../../perl/programs.ts";

const TASK = "Send datagrams";
/** Errors of Linux: the receiver has no room now; the datagram is too long for it. */
const AGAIN = "11";
const TOO_LONG = "90";

interface Helper {
  child: ChildProcessWithoutNullStreams;
  answers: FrameReader;
}

/** The helper that sends datagrams to sockets with a path, one for all of them. It starts with the first. */
export class Datagrams {
  #running?: Promise<Helper>;
  #last: Promise<unknown> = Promise.resolve();
  readonly #patience: number | undefined;

  /** @param patience Milliseconds that the helper may take over an answer */
  constructor(patience?: number) {
    this.#patience = patience;
  }

  /**
   * Sends datagrams in their order, and returns how many are done with: fewer where the receiver has no room at present. One that is
   * too long for it is left out. Throws `EngineError("internal")` where there is no receiver.
   */
  async send(path: string, datagrams: readonly Uint8Array[]): Promise<number> {
    const answer = this.#last.then(async () => {
      const { child, answers } = await (this.#running ??= this.#start());
      for (const part of frameOf("send", path, ...datagrams)) child.stdin.write(part);
      const texts = await readPrompt(child, answers, this.#patience);
      // A late answer would be taken for that to the next request.
      if (texts === undefined) this.#running = undefined;
      return texts;
    });
    this.#last = answer.catch(() => {});
    const [word, count, error, text] = await answer ?? [];
    if (word !== "sent") throw new EngineError("internal", `${TASK}: the helper ended`);
    if (error === TOO_LONG) return Number(count) + 1;
    if (error === "0" || error === AGAIN || Number(count) > 0) return Number(count);
    throw new EngineError("internal", `connect ${path}: ${text}`);
  }

  /** Ends the helper. */
  async close(): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    running?.child.stdin.end();
  }

  async #start(): Promise<Helper> {
    try {
      const perl = await findProgram("perl");
      if (perl === undefined) throw new EngineError("unsupported", `${TASK}: perl is not installed`);
      const args = perlArguments(DATAGRAMS_PROGRAM, TASK, []);
      const child = startPipedProgram(perl, args, { cwd: "/", env: HELPER_ENVIRONMENT });
      child.stdin.on("error", () => {});
      child.stderr.resume();
      child.once("error", () => {});
      // The next one that sends starts another.
      child.once("close", () => {
        void this.#running?.then((helper) => helper.child === child && (this.#running = undefined), () => {});
      });
      const answers = new FrameReader(child.stdout);
      if ((await readPrompt(child, answers, this.#patience))?.[0] !== "ready") {
        throw new EngineError("internal", `${TASK}: the helper ended`);
      }
      return { child, answers };
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }
}
