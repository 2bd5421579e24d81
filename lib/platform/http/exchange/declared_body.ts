import type { SocketReader } from "./socket_reader.ts";

/** A body that cannot be read; `status` is what to answer. */
export class BodyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "BodyError";
    this.status = status;
  }
}

/** How a request's head frames its body (RFC 9112, section 6.3): a length, chunks, or 0. */
export function declaredLength(headers: Headers): number | "chunked" {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== null) {
    // Both at once is how requests are smuggled past proxies; other codings are not ours to undo.
    if (length !== null || coding.trim().toLowerCase() !== "chunked") {
      throw new BodyError(400, "Read the body: its framing is not clear");
    }
    return "chunked";
  }
  if (length === null) return 0;
  if (!/^[0-9]{1,15}$/.test(length)) throw new BodyError(400, "Read the body: its length is not a number");
  return Number(length);
}

/**
 * Reads exactly the declared body, and leaves what follows in the reader.
 *
 * @throws {BodyError} if it is malformed, cut short or longer than `limit` bytes
 */
export async function readDeclaredBody(
  reader: SocketReader,
  length: number | "chunked",
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Bytes(limit);
  if (length !== "chunked") {
    await takeBytes(reader, length, body);
    return body.whole();
  }
  for (;;) {
    const line = await readLine(reader);
    const size = /^([0-9a-fA-F]{1,8})(?:[ \t]*;.*)?$/.exec(line)?.[1];
    if (size === undefined) throw new BodyError(400, "Read the body: a chunk has no size");
    if (Number.parseInt(size, 16) === 0) break;
    await takeBytes(reader, Number.parseInt(size, 16), body);
    if (await readLine(reader) !== "") throw new BodyError(400, "Read the body: a chunk is longer than its size");
  }
  for (let fields = 0; await readLine(reader) !== ""; fields++) {
    if (fields === 100) throw new BodyError(400, "Read the body: too many trailer fields");
  }
  return body.whole();
}

/** Copied together as they come: a piece of one byte would else cost hundreds, and hold the packet it came in. */
class Bytes {
  readonly #limit: number;
  #buffer = new Uint8Array(0);
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  check(further: number): void {
    if (this.#size + further > this.#limit) {
      throw new BodyError(413, `Read the body: longer than ${this.#limit} bytes`);
    }
  }

  add(piece: Uint8Array): void {
    this.check(piece.length);
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(this.#limit, Math.max(size, 2 * this.#buffer.length)));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(0, this.#size);
  }
}

async function takeBytes(reader: SocketReader, count: number, into: Bytes): Promise<void> {
  into.check(count);
  for (let left = count; left > 0;) {
    const piece = await nextPiece(reader);
    into.add(piece.subarray(0, left));
    reader.unread(piece.subarray(left));
    left -= Math.min(left, piece.length);
  }
}

/** One line of chunk framing, without its CRLF. */
async function readLine(reader: SocketReader): Promise<string> {
  let line = "";
  while (line.length <= 4096) {
    const piece = await nextPiece(reader);
    const end = piece.indexOf(10);
    line += String.fromCharCode(...piece.subarray(0, end < 0 ? Math.min(piece.length, 4097) : Math.min(end, 4097)));
    if (end < 0) continue;
    reader.unread(piece.subarray(end + 1));
    if (!line.endsWith("\r")) break;
    return line.slice(0, -1);
  }
  throw new BodyError(400, "Read the body: a line of its framing does not end");
}

async function nextPiece(reader: SocketReader): Promise<Uint8Array> {
  const piece = await reader.read();
  if (piece === undefined) throw new BodyError(400, "Read the body: it ends early");
  return piece;
}
