/**
 * `multipart/form-data` as a stream of parts, RFC 2046 section 5.1 and RFC 7578: for bodies too large to be held, which the
 * transport's own codec does.
 *
 * @module
 */
import { RequestError } from "./request_error.ts";

/** One part. Its body must be read, or cancelled, before the next is asked for. */
export interface Part {
  /** `name` of its `Content-Disposition`. */
  name: string;
  /** `filename` of its `Content-Disposition`. */
  filename: string;
  /** `Content-Type` as given. */
  type: string;
  body: ReadableStream<Uint8Array>;
}

const HEADER_LIMIT = 16 * 1024;
const PART_LIMIT = 1000;
const LINE = new TextEncoder().encode("\r\n\r\n");

/** The boundary of a multipart type; `undefined` for any other. */
export function boundaryOf(contentType: string | null): string | undefined {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? "")) return undefined;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw malformedParts("no boundary");
  return boundary;
}

/** The parts of a body, in order. Throws a 400 for what is not multipart. */
export async function* readParts(body: ReadableStream<Uint8Array>, boundary: string): AsyncGenerator<Part, void> {
  const source = new Buffered(body);
  const encoder = new TextEncoder();
  // The first boundary may stand at the very beginning.
  const first = encoder.encode(`--${boundary}`);
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  try {
    for await (const _ of source.until(first)) { /* What comes before counts for nothing. */ }
    for (let count = 0; !await source.isEnd(); count++) {
      if (count >= PART_LIMIT) throw malformedParts(`more than ${PART_LIMIT} parts`);
      const head = await source.head();
      const content = source.until(delimiter);
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await content.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }, { highWaterMark: 0 });
      yield { ...readHead(head), body: stream };
      // Skip the part's content that the caller has not read.
      for await (const _ of content) { /* Only its end matters. */ }
    }
  } finally {
    await source.close();
  }
}

/** Bytes as they come, looked at before they are taken. */
class Buffered {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** Everything before the mark, which is passed over. */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = indexOf(this.#bytes, mark);
      if (at >= 0) {
        const before = this.#take(at);
        this.#take(mark.length);
        if (before.length > 0) yield before;
        return;
      }
      // The mark may have begun.
      const sure = this.#bytes.length - (mark.length - 1);
      if (sure > 0) yield this.#take(sure);
      if (!await this.#more()) throw malformedParts("it ends in the middle");
    }
  }

  /** Whether the boundary just passed was the last; else its line is passed over. */
  async isEnd(): Promise<boolean> {
    while (this.#bytes.length < 2) if (!await this.#more()) throw malformedParts("it ends in the middle");
    const [a, b] = this.#bytes;
    if (a === 0x2d && b === 0x2d) return true;
    return false;
  }

  /** The header lines of a part; a part without any has an empty line all the same. */
  async head(): Promise<string> {
    for (;;) {
      const at = indexOf(this.#bytes, LINE);
      if (at > HEADER_LIMIT || (at < 0 && this.#bytes.length > HEADER_LIMIT)) {
        throw malformedParts("a part's head is too long");
      }
      if (at >= 0) {
        const text = new TextDecoder().decode(this.#take(at));
        this.#take(LINE.length);
        return text;
      }
      if (!await this.#more()) throw malformedParts("it ends in the middle");
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    const joined = new Uint8Array(this.#bytes.length + value.length);
    joined.set(this.#bytes);
    joined.set(value, this.#bytes.length);
    this.#bytes = joined;
    return true;
  }
}

function readHead(head: string): Omit<Part, "body"> {
  const lines = head.split("\r\n");
  const header = (name: string) => {
    const line = lines.find((line) => line.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim() ?? "";
  };
  const disposition = header("content-disposition");
  const parameter = (name: string) => {
    const found = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, "i").exec(disposition);
    return (found?.[1] ?? "").replace(/\\(["\\])/g, "$1");
  };
  return { name: parameter("name"), filename: parameter("filename"), type: header("content-type") };
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  for (let at = bytes.indexOf(mark[0]); at >= 0; at = bytes.indexOf(mark[0], at + 1)) {
    if (at + mark.length > bytes.length) return -1;
    let i = 1;
    while (i < mark.length && bytes[at + i] === mark[i]) i++;
    if (i === mark.length) return at;
  }
  return -1;
}

function malformedParts(why: string): RequestError {
  return new RequestError("malformed", `Read multipart body: ${why}`);
}
