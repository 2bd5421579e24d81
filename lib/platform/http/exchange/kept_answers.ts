/**
 * Answers that a server sends again, without another call of its handler, while they are right.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { headerCase } from "../header_case.ts";
import { rawHeader } from "./node_request.ts";

/** Bytes of all answers that are kept, keys included, and of one of them. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_OF_ONE = 2 * 1024 * 1024;
/** Answers that are kept. */
const MOST_ANSWERS = 1024;
/** Characters of a request's head; that of a longer one is not worth its key. */
const MOST_OF_KEY = 4096;

/** The promise of an operation about its answer. */
export interface AnswerPromise {
  /** Whether the answer, sent to the same request now, says what is so now. */
  isCurrent(): boolean;
  /** Headers that have a value of their own each time, by their names in lower case. */
  fresh?: Readonly<Record<string, () => string>>;
  /** Told whenever the answer is sent again. */
  readonly onReuse: (() => void)[];
}

/** An answer as it goes out. */
interface KeptAnswer {
  readonly promise: AnswerPromise;
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Each letter is a byte. */
  readonly body: string;
  readonly size: number;
}

/**
 * The answers of one listener. An answer belongs to a request by its address on this side, its target and its whole head: whatever a header can
 * change, a credential or a form that is asked for, finds another answer or none. The answer used longest ago makes room.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>();
  #size = 0;

  /** Returns the key of a request whose answer may be kept: a GET without a body. `undefined` for any other. */
  static keyOf({ method, url = "", rawHeaders, socket, httpVersionMajor }: IncomingMessage): string | undefined {
    if (method !== "GET" || httpVersionMajor !== 1 || rawHeader(rawHeaders, "upgrade") !== undefined) return undefined;
    // No letter of a head is a line feed.
    const key = `${socket.localAddress ?? ""}\n${url}\n${rawHeaders.join("\n")}`;
    return key.length <= MOST_OF_KEY ? key : undefined;
  }

  /** Sends the answer to a request again; returns whether there was one that is current. */
  send(key: string, out: ServerResponse): boolean {
    const answer = this.#answers.get(key);
    if (answer === undefined) return false;
    if (!answer.promise.isCurrent()) {
      this.#forget(key, answer);
      return false;
    }
    // The order in which they were used.
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const { promise: { fresh, onReuse }, status, headers, body } = answer;
    out.statusCode = status;
    const all = fresh === undefined ? headers as string[] : freshHeaders(headers, fresh);
    for (let i = 0; i < all.length; i += 2) out.setHeader(all[i], all[i + 1]);
    out.end(body, "latin1");
    for (const tell of onReuse) tell();
    return true;
  }

  /** Keeps an answer whose head is set and whose body is this, unless it is too large. */
  keep(key: string, promise: AnswerPromise, out: ServerResponse, body: string): void {
    // A cookie is for the client that got it.
    if (!promise.isCurrent() || out.hasHeader("set-cookie")) return;
    const headers = out.getHeaderNames().flatMap((name) => [headerCase(name), String(out.getHeader(name))]);
    const size = key.length + body.length + headers.join("").length;
    if (size > MOST_OF_ONE) return;
    const known = this.#answers.get(key);
    if (known !== undefined) this.#forget(key, known);
    this.#answers.set(key, { promise, status: out.statusCode, headers, body, size });
    this.#size += size;
    for (const [oldest, answer] of this.#answers) {
      if (this.#size <= MOST_BYTES && this.#answers.size <= MOST_ANSWERS) break;
      this.#forget(oldest, answer);
    }
  }

  #forget(key: string, { size }: KeptAnswer): void {
    if (this.#answers.delete(key)) this.#size -= size;
  }
}

function freshHeaders(headers: readonly string[], fresh: NonNullable<AnswerPromise["fresh"]>): string[] {
  const all = [...headers];
  for (let i = 0; i < all.length; i += 2) {
    const value = fresh[all[i].toLowerCase()];
    if (value !== undefined) all[i + 1] = value();
  }
  return all;
}
