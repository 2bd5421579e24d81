import process from "node:process";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { makeDeferred } from "../../../rest/run/deferred.ts";
import type { Platform, Upgraded, UpgradeInit } from "../../../rest/context.ts";
import { arrivedBody, Peer, rawHeader, requestBody } from "./node_request.ts";
import { answerRequest, sendAnswer, type Serving } from "../answer.ts";
import { SocketReader } from "./socket_reader.ts";
import { type AnswerPromise, KeptAnswers } from "./kept_answers.ts";
import { isMarker, takeOver } from "./take_over.ts";
import { discardBody, lingerOnClose, UNREAD_LIMIT } from "./unread_body.ts";

/**
 * Serves one request of node:http. Never rejects.
 *
 * @param waiting Whether the client waits for `100 Continue` before it sends the body
 */
export async function serveNodeExchange(
  serving: Serving,
  message: IncomingMessage,
  out: ServerResponse,
  waiting = false,
): Promise<void> {
  const key = serving.kept === undefined || waiting ? undefined : KeptAnswers.keyOf(message);
  if (key !== undefined && serving.kept!.send(key, out)) return;
  const peer = new Peer();
  out.on("close", () => out.writableFinished || platform.taken || peer.leave());
  const { rawHeaders } = message;
  const hasBody = (rawHeader(rawHeaders, "content-length") ?? "0") !== "0" ||
    rawHeader(rawHeaders, "transfer-encoding") !== undefined;
  const platform = new ExchangePlatform(serving, message, out, peer);
  let asked = false;
  // Without a wait of its own a body that came with the head would not be there yet.
  if (hasBody && !waiting) await undefined;
  const body = hasBody
    ? (waiting ? undefined : arrivedBody(message)) ?? requestBody(message, serving.idle, () => {
      asked = true;
      if (waiting) out.writeContinue();
    })
    : undefined;
  const { method = "GET", url = "/", httpVersionMajor } = message;
  const parts = { method, target: url, major: httpVersionMajor, rawHeaders, body };
  const response = await answerRequest(serving, parts, message.socket.localAddress, peer, platform);
  if (platform.taken) {
    if (!isMarker(response)) message.socket.destroy();
    return;
  }
  // A client that was never told to go on may send its body or not: what follows on this connection cannot be told apart.
  if (waiting && !asked) out.shouldKeepAlive = false;
  // A body that stopped coming will not go on, and one that is long is not waited for.
  if (hasBody && !message.complete && (response.status === 408 || declaredSize(rawHeaders) > UNREAD_LIMIT)) {
    out.shouldKeepAlive = false;
  }
  if (hasBody && !message.complete && !out.shouldKeepAlive) lingerOnClose(message);
  const { promise } = platform;
  const isKept = key !== undefined && !hasBody && promise !== undefined && response.status === 200;
  const onWhole = isKept ? (body: string) => serving.kept!.keep(key, promise, out, body) : undefined;
  await sendAnswer(serving, out, response, peer, onWhole);
  if (hasBody && !message.complete) discardBody(message);
}

function declaredSize(rawHeaders: readonly string[]): number {
  return Number(rawHeader(rawHeaders, "content-length") ?? 0);
}

class ExchangePlatform implements Platform {
  taken = false;
  /** The promise of the operation about its answer, if it made one. */
  promise: AnswerPromise | undefined;
  readonly #serving: Serving;
  readonly #message: IncomingMessage;
  readonly #out: ServerResponse;
  readonly #peer: Peer;

  constructor(serving: Serving, message: IncomingMessage, out: ServerResponse, peer: Peer) {
    this.#serving = serving;
    this.#message = message;
    this.#out = out;
    this.#peer = peer;
  }

  get peer(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  keepWhile(isCurrent: () => boolean, fresh: AnswerPromise["fresh"]): void {
    if (this.#serving.kept !== undefined) this.promise = { isCurrent, fresh, onReuse: [] };
  }

  onReuse(tell: () => void): void {
    this.promise?.onReuse.push(tell);
  }

  /** Takes the connection over from node:http, once the request's body has been read to its end. */
  async upgrade(init?: UpgradeInit): Promise<Upgraded> {
    if (this.taken) throw new TypeError("Take the connection over: it is taken already");
    this.taken = true;
    const message = this.#message;
    const socket = message.socket;
    if (!message.complete) await waitForEnd(message, this.#serving);
    if (socket.destroyed) {
      this.#peer.leave();
      throw new DOMException("The peer has gone", "AbortError");
    }
    this.#out.detachSocket(socket);
    releaseSocket(socket);
    socket.on("error", () => this.#peer.leave());
    socket.on("close", () => socket.readableEnded && socket.writableFinished || this.#peer.leave());
    return takeOver(socket, new SocketReader(socket), message.rawHeaders, init);
  }
}

/** Throws away what is left of a body, within bounds: beyond them the connection is closed. */
function waitForEnd(message: IncomingMessage, { idle, upgradeBodyLimit }: Serving): Promise<void> {
  const { promise, resolve } = makeDeferred<void>();
  const giveUp = () => void message.socket.destroy();
  let left = upgradeBodyLimit;
  idle.wait(giveUp);
  message.on("data", (piece: Uint8Array) => {
    idle.wait(giveUp);
    left -= piece.length;
    if (left < 0) giveUp();
  });
  message.on("end", resolve);
  message.on("close", resolve);
  message.resume();
  return promise.finally(() => idle.done(giveUp));
}

/** Takes node:http's parser off a socket. Adding a listener for `data` does the rest of it in Node. */
function releaseSocket(socket: Socket): void {
  for (const event of ["data", "end", "drain", "timeout"]) socket.removeAllListeners(event);
  socket.setTimeout(0);
  // Deno's node:http reads the socket natively and is told to stop only by its parser, which no type knows.
  const { parser } = socket as unknown as { parser?: { _consumed?: boolean; unconsume?(): void } | null };
  if ("deno" in process.versions && parser?._consumed) {
    parser.unconsume?.();
    parser._consumed = false;
  }
}
