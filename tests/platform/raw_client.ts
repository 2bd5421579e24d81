/** A client that writes bytes and reads HTTP/1.1 by hand, so that tests decide how packets fall. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/** A response as it came. */
export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** One connection. */
export class Client implements AsyncDisposable {
  readonly socket: Socket;
  /** Everything read and not yet taken. */
  buffer: Buffer = Buffer.alloc(0);
  /** The server has ended its side. */
  ended = false;
  closed = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    const wake = () => this.#wake?.();
    socket.on("data", (piece: Buffer) => {
      this.buffer = Buffer.concat([this.buffer, piece]);
      wake();
    });
    socket.on("end", () => {
      this.ended = true;
      wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.ended = this.closed = true;
      wake();
    });
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Writes the parts as packets of their own. */
  async packets(parts: readonly (string | Uint8Array)[]): Promise<void> {
    for (const part of parts) {
      this.socket.write(part);
      await later(8);
    }
  }

  /** Waits until `ready` says so, for 10 seconds. */
  async until(ready: () => boolean, what: string): Promise<void> {
    const limit = Date.now() + 10_000;
    while (!ready()) {
      if (Date.now() > limit || this.closed) {
        throw new Error(
          `Waited for ${what}; closed ${this.closed}, got ${JSON.stringify(this.buffer.toString("latin1"))}`,
        );
      }
      await Promise.race([new Promise<void>((resolve) => this.#wake = resolve), later(50)]);
    }
  }

  /** Takes `length` bytes as text. */
  async take(length: number): Promise<string> {
    await this.until(() => this.buffer.length >= length, `${length} bytes`);
    const text = this.buffer.toString("latin1", 0, length);
    this.buffer = this.buffer.subarray(length);
    return text;
  }

  /** Takes everything until the server ends its side. */
  async rest(): Promise<string> {
    await this.until(() => this.ended, "the end").catch((error) => {
      if (!this.ended) throw error;
    });
    return await this.take(this.buffer.length);
  }

  /** Takes status line and headers. */
  async head(): Promise<{ status: number; headers: Headers; line: string }> {
    await this.until(() => this.buffer.includes("\r\n\r\n"), "a head");
    const [line, ...fields] = (await this.take(this.buffer.indexOf("\r\n\r\n") + 4)).trimEnd().split("\r\n");
    const headers = new Headers();
    for (const field of fields) {
      headers.append(field.slice(0, field.indexOf(":")), field.slice(field.indexOf(":") + 1).trim());
    }
    return { status: Number(line.split(" ")[1]), headers, line };
  }

  /** Takes a whole response. */
  async response(method = "GET"): Promise<RawResponse> {
    const { status, headers } = await this.head();
    if (method === "HEAD" || status === 204 || status === 304) return { status, headers, body: "" };
    const length = headers.get("content-length");
    if (length !== null) return { status, headers, body: await this.take(Number(length)) };
    if (headers.get("transfer-encoding") !== "chunked") return { status, headers, body: await this.rest() };
    let body = "";
    for (let chunk = await this.chunk(); chunk !== ""; chunk = await this.chunk()) body += chunk;
    return { status, headers, body };
  }

  /** Takes one chunk; empty at the end. */
  async chunk(): Promise<string> {
    await this.until(() => this.buffer.includes("\r\n"), "a chunk");
    const line = await this.take(this.buffer.indexOf("\r\n") + 2);
    const data = await this.take(Number.parseInt(line, 16) + 2);
    return data.slice(0, -2);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    for (let i = 0; i < 100 && !this.closed; i++) await later(5);
  }
}

/** Connects to a loopback port, or to a Unix socket's path. */
export async function client(to: number | string): Promise<Client> {
  for (let left = 100;; left--) {
    try {
      return await connectOnce(to);
    } catch (error) {
      // A Unix socket whose queue is full says so at once, where TCP waits.
      if (left === 0 || !(error instanceof Error) || !error.message.includes("EAGAIN")) throw error;
      await later(20);
    }
  }
}

function connectOnce(to: number | string): Promise<Client> {
  const socket = typeof to === "string"
    ? connect({ path: to, allowHalfOpen: true })
    : connect({ port: to, host: "127.0.0.1", allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.removeListener("error", reject);
      resolve(new Client(socket));
    });
  });
}

/** Waits. */
export function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
