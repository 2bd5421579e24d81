/** Milliseconds for which an unused connection is kept: servers close theirs some time later. */
const KEPT = 20_000;

/** One HTTP/1.1 connection over a Unix socket, for one request at a time. */
class Connection {
  readonly #socket: Deno.UnixConn;
  #held: Uint8Array = new Uint8Array(0);

  constructor(socket: Deno.UnixConn) {
    this.#socket = socket;
  }

  async send(head: string, body: string, hasBody = true): Promise<{ status: number; text: string; closes: boolean }> {
    const bytes = new TextEncoder().encode(head + body);
    for (let at = 0; at < bytes.length;) at += await this.#socket.write(bytes.subarray(at));
    const [first, ...lines] = (await this.#line("\r\n\r\n")).split("\r\n");
    const status = Number(first.split(" ")[1]);
    const headers = new Map(lines.map((line) => {
      const [name, ...value] = line.split(":");
      return [name.toLowerCase(), value.join(":").trim()];
    }));
    const closes = headers.get("connection") === "close";
    const answer = (pieces: Uint8Array[]) => ({ status, text: decode(pieces), closes });
    if (!hasBody || status === 204 || status === 304) return answer([]);
    if (headers.get("transfer-encoding") === "chunked") return answer(await this.#chunks());
    const length = headers.get("content-length");
    // A raw stream ends where its connection does.
    if (length === undefined) return { ...answer(await this.#rest()), closes: true };
    return answer([await this.#take(Number(length))]);
  }

  close(): void {
    this.#socket.close();
  }

  async #chunks(): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const size = parseInt(await this.#line("\r\n"), 16);
      const piece = await this.#take(size + 2);
      if (size === 0) return pieces;
      pieces.push(piece.subarray(0, size));
    }
  }

  async #rest(): Promise<Uint8Array[]> {
    const pieces = [this.#held];
    const buffer = new Uint8Array(256 * 1024);
    for (let count = await this.#socket.read(buffer); count !== null; count = await this.#socket.read(buffer)) {
      pieces.push(buffer.slice(0, count));
    }
    return pieces;
  }

  /** Reads the text before `end`. Heads and chunk sizes are short: they are looked for one byte at a time. */
  async #line(end: string): Promise<string> {
    for (let at = 0;; at++) {
      while (at + end.length > this.#held.length) await this.#fill();
      let matched = 0;
      while (matched < end.length && this.#held[at + matched] === end.charCodeAt(matched)) matched++;
      if (matched < end.length) continue;
      const text = decode([this.#held.subarray(0, at)]);
      this.#held = this.#held.subarray(at + end.length);
      return text;
    }
  }

  async #take(size: number): Promise<Uint8Array> {
    const whole = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      if (this.#held.length === 0) await this.#fill();
      const piece = this.#held.subarray(0, size - at);
      whole.set(piece, at);
      at += piece.length;
      this.#held = this.#held.subarray(piece.length);
    }
    return whole;
  }

  async #fill(): Promise<void> {
    const buffer = new Uint8Array(256 * 1024);
    const count = await this.#socket.read(buffer);
    if (count === null) throw new Error("The server closed the connection in the middle of an answer");
    const held = this.#held;
    this.#held = buffer.subarray(0, count);
    if (held.length === 0) return;
    const joined = new Uint8Array(held.length + count);
    joined.set(held);
    joined.set(this.#held, held.length);
    this.#held = joined;
  }
}

/**
 * Sends requests over kept connections and reads the answers whole. It costs a few microseconds where `fetch` costs a
 * hundred or more, which would be most of what a bench of short calls measures.
 */
export class UnixClient {
  readonly #path: string;
  readonly #idle: { connection: Connection; since: number }[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const connection = this.#kept() ?? new Connection(await Deno.connect({ transport: "unix", path: this.#path }));
    const text = body === undefined ? "" : JSON.stringify(body);
    const type = body === undefined ? "" : "Content-Type: application/json\r\n";
    const length = new TextEncoder().encode(text).length;
    const head = `${method} ${path} HTTP/1.1\r\nHost: d\r\n${type}Content-Length: ${length}\r\n\r\n`;
    const answer = await connection.send(head, text, method !== "HEAD");
    if (answer.closes) connection.close();
    else this.#idle.push({ connection, since: performance.now() });
    return answer;
  }

  /** The connection that was used last. When that is too old, all are. */
  #kept(): Connection | undefined {
    const last = this.#idle.pop();
    if (last === undefined || performance.now() - last.since < KEPT) return last?.connection;
    last.connection.close();
    this.close();
    return undefined;
  }

  close(): void {
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }
}

function decode(pieces: Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}
