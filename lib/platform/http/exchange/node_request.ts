import type { IncomingMessage } from "node:http";
import { ownBuffer } from "../../../oci/bytes/byte_stream.ts";
import { HTTPError } from "../../../rest/error.ts";
import type { IdleWatch } from "../idle_watch.ts";

/** Bodies up to this many bytes are not worth a stream that gives memory back. */
const SMALL = 64 * 1024;

/** What {@linkcode nodeRequest} is made from. */
export interface RequestParts {
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  /** The major version of HTTP; 1 by default. */
  readonly major?: number;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body?: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
}

/** The peer of a request: there, or gone. The signal is made only when somebody asks for it. */
export class Peer {
  #controller: AbortController | undefined;
  #gone = false;

  get gone(): boolean {
    return this.#gone;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort(peerGone());
    return this.#controller.signal;
  }

  /** Tells that the peer has gone before its answer was complete. */
  leave(): void {
    this.#gone = true;
    this.#controller?.abort(peerGone());
  }
}

function peerGone(): DOMException {
  return new DOMException("The peer has gone", "AbortError");
}

/** Giving every request a signal at construction costs more than all the rest of it. */
class IncomingRequest extends Request {
  readonly #peer: Peer;

  constructor(url: string, init: RequestInit, peer: Peer) {
    super(url, init);
    this.#peer = peer;
  }

  override get signal(): AbortSignal {
    return this.#peer.signal;
  }
}

/**
 * Makes a web request.
 *
 * @param origin The scheme, host and port of its URL
 * @throws {TypeError} if the method or the target cannot be had in a `Request`
 */
export function nodeRequest(parts: RequestParts, origin: string, peer: Peer): Request {
  const { method, target, rawHeaders, body } = parts;
  const url = target.startsWith("/") ? `${origin}${target}` : absoluteURL(target, origin);
  const init: RequestInit = { method };
  if (body !== undefined && method !== "GET" && method !== "HEAD") {
    // Streams as bodies need `duplex`, which the types of RequestInit do not know.
    Object.assign(init, { body, duplex: "half" });
  }
  const request = new IncomingRequest(url, init, peer);
  // Headers given to the constructor are converted twice, which takes as long as all the rest.
  fillHeaders(request.headers, rawHeaders);
  return request;
}

/** The other forms of a target (RFC 9112, section 3.2): `*`, and a whole URL, whose authority is not ours to believe. */
function absoluteURL(target: string, origin: string): string {
  if (target === "*") return `${origin}/*`;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) throw new TypeError(`Read the request target "${target}": neither a path nor a URL`);
  return `${origin}${rest.startsWith("/") ? "" : "/"}${rest}`;
}

/** Headers from names and values in turn. */
export function webHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  fillHeaders(headers, raw);
  return headers;
}

function fillHeaders(headers: Headers, raw: readonly string[]): void {
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i], raw[i + 1]);
}

/** The first value of a header (`name` in lower case) among names and values in turn. */
export function rawHeader(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i].length === name.length && raw[i].toLowerCase() === name) return raw[i + 1];
  }
  return undefined;
}

/**
 * The body of a node:http request: read from the socket only as fast as it is asked for, and of type `bytes` unless it is small. It fails with an `HTTPError` 408 when it is waited for
 * and nothing comes.
 *
 * @param idle Tells when it was waited for long enough
 * @param onFirstRead Called before the first byte is asked for
 */
export function requestBody(
  message: IncomingMessage,
  idle: IdleWatch,
  onFirstRead?: () => void,
): ReadableStream<Uint8Array> {
  let source: BodySource | undefined;
  const pull = (controller: BodyController) => {
    if (source === undefined) {
      // Its end has been and will not come again: somebody in front, a body parser say, has taken what there was.
      if (message.readableEnded) {
        throw new HTTPError(500, "Read the body: it has been read already", { kind: "body" });
      }
      // So has its loss.
      if (message.destroyed) throw peerGone();
      onFirstRead?.();
      source = new BodySource(message, idle, controller);
    }
    source.resume();
  };
  const cancel = () => source?.cancel();
  const length = Number(rawHeader(message.rawHeaders, "content-length") ?? Infinity);
  if (length <= SMALL) return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return new ReadableStream({ type: "bytes", pull, cancel });
}

/**
 * Takes the body of a node:http request that came with its head, as small ones do: a `Request` of bytes is read without a stream. Call it
 * when the turn in which the head was read is over.
 *
 * @returns `undefined` where some of it may be on its way, and nothing of it is taken
 */
export function arrivedBody(message: IncomingMessage): Uint8Array<ArrayBuffer> | undefined {
  const length = Number(rawHeader(message.rawHeaders, "content-length") ?? Infinity);
  if (length > SMALL || message.readableLength !== length || message.destroyed) return undefined;
  const whole: Uint8Array | null = message.read();
  // Only its end follows, which is for others to hear of.
  message.resume();
  return whole === null ? undefined : ownBuffer(whole);
}

/** Bytes from which on a piece goes on by itself, and bytes of small pieces that go on together. */
const LARGE = 4096;
const GATHERED = 65_536;

const NOTHING = new Uint8Array(0);

type BodyController = ReadableStreamDefaultController<Uint8Array> | ReadableByteStreamController;

function endBody(controller: BodyController): void {
  controller.close();
  // A pending read into the reader's own buffer waits for this response.
  if ("byobRequest" in controller) controller.byobRequest?.respond(0);
}

/** Puts what a node:http request says into a web stream. */
class BodySource {
  readonly #message: IncomingMessage;
  readonly #idle: IdleWatch;
  readonly #controller: BodyController;
  #over = false;
  /** The small pieces of this turn: the first as it came, or several copied together, as each kept has two hundred bytes beside its own. */
  #gathered: Uint8Array = NOTHING;
  #size = 0;
  readonly #giveUp = () => {
    const error = new HTTPError(408, "Read the body: nothing came for too long", { kind: "body" });
    this.#finish(() => this.#controller.error(error));
  };

  constructor(
    message: IncomingMessage,
    idle: IdleWatch,
    controller: BodyController,
  ) {
    this.#message = message;
    this.#idle = idle;
    this.#controller = controller;
    const cut = () => this.#finish(() => controller.error(peerGone()));
    message.on("data", (piece: Uint8Array) => {
      if (this.#over) return;
      idle.done(this.#giveUp);
      if (this.#size === 0 && piece.length >= LARGE) return this.#give(ownBuffer(piece));
      if (this.#size === 0) {
        queueMicrotask(() => this.#flush());
        this.#gathered = piece;
      } else this.#gather(piece);
      this.#size += piece.length;
      if (this.#size >= GATHERED) this.#flush();
    });
    message.on("end", () => {
      this.#flush();
      this.#finish(() => endBody(controller));
    });
    message.on("error", cut);
    message.on("close", cut);
  }

  resume(): void {
    if (!this.#over) this.#idle.wait(this.#giveUp);
    this.#message.resume();
  }

  /** Leaves the rest of the body unread until the answer has gone. */
  cancel(): void {
    this.#finish(() => this.#message.pause());
  }

  /** Gives the pieces of one turn as one: a body in chunks of a few bytes costs no more turns than another one. */
  #flush(): void {
    if (this.#size === 0 || this.#over) return;
    const whole = ownBuffer(this.#gathered.subarray(0, this.#size));
    this.#gathered = NOTHING;
    this.#size = 0;
    this.#give(whole);
  }

  #gather(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    // The first piece is not ours to write to, and ends with its bytes.
    if (size > this.#gathered.length) {
      const larger = new Uint8Array(Math.max(LARGE, 2 * size));
      larger.set(this.#gathered.subarray(0, this.#size));
      this.#gathered = larger;
    }
    this.#gathered.set(piece, this.#size);
  }

  #give(piece: Uint8Array): void {
    this.#controller.enqueue(piece);
    if ((this.#controller.desiredSize ?? 0) <= 0) this.#message.pause();
  }

  #finish(action: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#idle.done(this.#giveUp);
    action();
  }
}
