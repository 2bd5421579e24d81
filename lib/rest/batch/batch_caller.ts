import { type AnswerLine, type CallLine, OWN, packBody, readLine, unpackBody } from "./batch_lines.ts";
import { encodeProblem } from "../problem.ts";
import type { Handler, Platform } from "../context.ts";
import { HTTPError } from "../error.ts";
import { mediaType } from "../codecs/codec.ts";
import { collectBytes } from "../run/read_body.ts";

/** Runs the calls of a batch by a handler. */
export class BatchCaller {
  readonly #request: Request;
  readonly #serve: Handler;
  readonly #platform: Platform;
  readonly #answerBytes: number;

  /** @param request What carries the batch: its headers are those of each call */
  constructor(request: Request, serve: Handler, platform: Platform | undefined, answerBytes: number) {
    this.#request = request;
    this.#serve = serve;
    this.#answerBytes = answerBytes;
    // A call has no connection of its own to take over, and the size of its body is known.
    this.#platform = { ...platform, upgrade: undefined, upgradeWebSocket: undefined, boundedBodies: true };
  }

  /** Answers a call. Never rejects. */
  async answer(call: CallLine, signal: AbortSignal): Promise<AnswerLine> {
    try {
      return await this.#run(call, signal);
    } catch (error) {
      return answerOf(call.id, error);
    }
  }

  async #run({ id, method, path, headers: own, ...body }: CallLine, signal: AbortSignal): Promise<AnswerLine> {
    const { origin } = new URL(this.#request.url);
    const headers = new Headers(this.#request.headers);
    for (const name of [...OWN, ...CARRIER]) headers.delete(name);
    for (const [name, value] of own) {
      if (!OWN.includes(name.toLowerCase())) {
        throw new HTTPError(400, `Read a call: the header "${name.slice(0, 64)}" is the batch's, send it with that`, {
          kind: "body",
        });
      }
      headers.append(name, value);
    }
    const given = unpackBody(body);
    if (given === undefined) throw new HTTPError(400, "Read a call: its body is no base64", { kind: "body" });
    const request = requestOf(origin + path, { method, headers, body: given, signal });
    const response = await this.#serve(request, this.#platform);
    const type = mediaType(response.headers.get("content-type") ?? "");
    if (/^(application\/x-ndjson|text\/event-stream)$/.test(type)) {
      response.body?.cancel().catch(() => {});
      throw new HTTPError(400, `Answer "${path}" in a batch: a channel is to be called alone`);
    }
    const bytes = await collectBytes(response, this.#answerBytes, answerTooLarge);
    const told = [...response.headers].filter(([name]) => name !== "set-cookie" && name !== "content-length");
    return { id, status: response.status, headers: told, ...packBody(bytes) };
  }
}

/** The headers that belong to what carries a batch, a request or a WebSocket. */
const CARRIER = [
  "accept-encoding",
  "connection",
  "content-length",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "transfer-encoding",
  "upgrade",
];

function requestOf(url: string, init: RequestInit): Request {
  try {
    return new Request(url, init);
  } catch (cause) {
    // A method that is none, or a GET with a body.
    throw new HTTPError(400, `Read a call: ${cause instanceof Error ? cause.message : cause}`, {
      kind: "body",
      cause,
    });
  }
}

function answerTooLarge(most: number): HTTPError {
  return new HTTPError(413, `Answer in a batch: it is larger than ${most} bytes and is to be called alone`, {
    kind: "limit",
  });
}

const NONE: NonNullable<ReturnType<typeof readLine>> = { headers: [] };

/**
 * Reads a line as a call.
 *
 * @param place The words for where it came from
 * @throws {HTTPError} 400
 */
export function readCall(text: string, place: string): CallLine {
  const { id, method, path, ...rest } = readLine(text) ?? NONE;
  // Two slashes would be the beginning of a host.
  const isPath = typeof path === "string" && /^\/(?!\/)[^#\\]*$/.test(path);
  if (!Number.isSafeInteger(id) || typeof method !== "string" || !isPath) {
    throw new HTTPError(400, `Read ${place}: it is no call`, { kind: "body" });
  }
  // Its headers were looked at when it was read, and its body is when it is unpacked.
  return { ...rest, id, method, path } as CallLine;
}

/** The answer for a fault outside of the handler, in the form of its own errors unless it has one of its own. */
export function answerOf(id: number | undefined, error: unknown): AnswerLine {
  // The peer is not to read why a body broke off.
  const known = error instanceof HTTPError ? error : new HTTPError(500, "Answer a call: its answer broke off");
  const { status, headers = {}, body } = encodeProblem(known, known);
  return {
    ...id !== undefined && { id },
    status,
    headers: [...new Headers(headers), ["content-type", "application/problem+json"]],
    text: JSON.stringify(body),
  };
}
