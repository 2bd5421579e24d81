/** Milliseconds of pieces at hand after which everything else gets its turn. */
const SLICE = 8;

/** The receiver of standard input. */
export interface InputSink {
  write(piece: Uint8Array): Promise<void> | void;
  close(): Promise<void> | void;
  abort(reason: unknown): Promise<void> | void;
}

/**
 * Standard input that fails when it is ended from this side, as a socket's does when its other side is closed: its writer goes on no
 * longer. A source with pieces at hand keeps nobody waiting.
 */
export function endableInput(sink: InputSink): { input: WritableStream<Uint8Array>; end: () => void } {
  const ended = new Error("The server has closed the connection");
  let controller: WritableStreamDefaultController | undefined;
  let since = performance.now();
  const input = new WritableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    async write(piece) {
      await sink.write(piece);
      if (performance.now() - since < SLICE) return;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    },
    close: () => sink.close(),
    abort: (reason) => sink.abort(reason),
  });
  return { input, end: () => controller?.error(ended) };
}
