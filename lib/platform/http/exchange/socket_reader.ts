import type { Socket } from "node:net";

/** Bytes read ahead of who asks for them: reading on is how the peer's end is noticed. */
const AHEAD = 64 * 1024;

/** Reads a socket piece by piece, starting with bytes that were read before, and a little ahead of who asks. */
export class SocketReader {
  readonly #socket: Socket;
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket, ...before: Uint8Array[]) {
    this.#socket = socket;
    for (const piece of before.toReversed()) this.unread(piece);
    socket.on("data", (piece: Uint8Array) => {
      this.#pieces.push(piece);
      this.#held += piece.length;
      if (this.#held >= AHEAD) socket.pause();
      this.#wake?.();
    });
    const end = (error?: Error) => {
      this.#ended = true;
      this.#error ??= error;
      this.#wake?.();
    };
    socket.on("end", () => end());
    socket.on("error", end);
    socket.on("close", () => end());
    socket.resume();
  }

  /** The next bytes, or undefined when the peer has ended its side. Throws what broke the socket. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#error) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const piece = this.#pieces.shift();
    this.#held -= piece?.length ?? 0;
    if (this.#held < AHEAD) this.#socket.resume();
    return piece;
  }

  /** Puts bytes back, to be read next. */
  unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.unshift(bytes);
    this.#held += bytes.length;
  }

  /** Throws away what still comes, so that the peer's end is noticed. */
  discard(): void {
    this.#pieces.length = this.#held = 0;
    this.#socket.removeAllListeners("data");
    this.#socket.on("data", () => {});
    this.#socket.resume();
  }
}
