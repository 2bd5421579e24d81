import { answerText } from "./answer_text.ts";
import type { Channel } from "../plan/marker.ts";
import { type DuplexCall, type SentValues, upgradeError } from "../run/duplex_call.ts";
import { DuplexSocket } from "./duplex_socket.ts";
import { HTTPError } from "../error.ts";
import { makeChannel, readValue } from "../channels/channel_argument.ts";
import { makeDeferred } from "../run/deferred.ts";
import { opened } from "../channels/websocket_channel.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { Platform } from "../context.ts";
import { SilenceWatch } from "../channels/flow.ts";

/** A call over a WebSocket, at the server. */
export class ServedDuplex implements DuplexCall {
  readonly #request: Request;
  readonly #platform: Platform;
  readonly #protocol: string;
  readonly #over = new AbortController();
  readonly #upgraded = makeDeferred<Response>();
  readonly #leave = () => this.#over.abort(this.#request.signal.reason);
  #opened: { readonly socket: WebSocket; readonly response: Response; readonly duplex: DuplexSocket } | undefined;
  #sending: Promise<void> | undefined;
  readonly #watch: SilenceWatch;

  constructor(request: Request, platform: Platform, protocol: string) {
    this.#request = request;
    this.#platform = platform;
    this.#protocol = protocol;
    const { socketPatience } = platform;
    this.#watch = new SilenceWatch(socketPatience, () => this.#opened?.duplex.close(1001, "The peer is silent"));
    request.signal.addEventListener("abort", this.#leave, { once: true });
    if (request.signal.aborted) this.#leave();
  }

  /**
   * Calls the operation and answers the upgrade: with the WebSocket as soon as the function reads or yields, or with what was refused before
   * that.
   *
   * @param serve Answers the call
   * @param method The method that the operation is called with
   */
  async answer(serve: (called: Request) => Promise<Response>, method: string): Promise<Response> {
    const headers = new Headers(this.#request.headers);
    // Without a type of a body, which a page of another site cannot choose here either, the call is checked for its origin.
    for (const name of ["content-type", "content-encoding", "content-length"]) headers.delete(name);
    const answered = serve(new Request(this.#request.url, { method, headers, signal: this.#over.signal }));
    const first = await Promise.race([answered, this.#upgraded.promise]);
    if (!this.#opened && !first.ok) return first;
    const { response } = this.#open();
    const finished = answered.then((answer) => this.#finish(answer)).catch(() => {});
    this.#platform.waitUntil?.(finished);
    return response;
  }

  receive(plan: Plan): Channel<unknown> {
    this.#requireSocket();
    return makeChannel(this.#readValues(plan), () => this.#opened?.duplex.leave());
  }

  send(values: SentValues, describe: (error: unknown) => string): Response {
    const { response, duplex } = this.#open(() => values.release());
    this.#sending = duplex.send(values, describe).then((failure) => {
      if (failure) duplex.close(1011, describe(failure.error));
      else duplex.close(1000, "");
    });
    return response;
  }

  async *#readValues(plan: Plan): AsyncGenerator<unknown, void> {
    const { duplex } = this.#open();
    try {
      for (let count = 1;; count++) {
        const text = await duplex.next();
        if (text === undefined) return;
        yield await readValue(text, plan, `value ${count}`);
      }
    } finally {
      duplex.leave();
    }
  }

  /** Answers a call that gave no channel, or failed before it gave one. */
  async #finish(answer: Response): Promise<void> {
    if (this.#sending) return await this.#sending;
    const { socket, duplex } = this.#open();
    const text = await answerText(answer);
    await opened(socket, this.#over.signal);
    duplex.write("=" + text);
    duplex.close(1000, "");
  }

  #requireSocket(): NonNullable<Platform["upgradeWebSocket"]> {
    const { upgradeWebSocket } = this.#platform;
    if (upgradeWebSocket) return upgradeWebSocket;
    throw new HTTPError(501, "Open a WebSocket: this runtime has none to give", { kind: "unimplemented" });
  }

  #upgrade(upgrade: NonNullable<Platform["upgradeWebSocket"]>): ReturnType<typeof upgrade> {
    try {
      return upgrade({ protocol: this.#protocol });
    } catch (error) {
      throw upgradeError(this.#request, error);
    }
  }

  #open(failed?: () => void) {
    if (this.#opened) return this.#opened;
    try {
      this.#over.signal.throwIfAborted();
      const upgrade = this.#requireSocket();
      // From here on the socket's close tells that the peer has gone: the request itself is over, which Deno tells as an abort.
      this.#request.signal.removeEventListener("abort", this.#leave);
      const { socket, response } = this.#upgrade(upgrade);
      const duplex = new DuplexSocket(socket, {
        closed: () => new Error("Read a channel: the client has left"),
        failed: (words) => new HTTPError(400, `Read a channel: the sender failed: ${words}`, { kind: "body" }),
        heard: (message) => this.#watch.hear(message === "+0"),
        over: (reason) => {
          this.#watch.end();
          this.#over.abort(reason);
        },
      });
      duplex.start();
      this.#opened = { socket, response, duplex };
      this.#upgraded.resolve(response);
      return this.#opened;
    } catch (error) {
      this.#over.abort(error);
      failed?.();
      throw error;
    }
  }
}
