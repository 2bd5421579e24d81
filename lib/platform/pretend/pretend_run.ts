import type { Attachment, Frame } from "../../engine/ports/host_port.ts";
import type { PretendOutcome, PretendProcess, PretendProgram } from "./pretend_program.ts";

/** The parts of a process that its container gives. */
export type PretendPlace = Pick<PretendProcess, "args" | "env" | "workdir" | "isMain" | "files" | "ports">;

/** Callbacks that see what a {@linkcode PretendRun} does. */
export interface PretendHooks {
  output?(frame: Frame): void;
  exit(code: number): void;
}

/** One run of a program: a process that is no process of any kernel. */
export class PretendRun {
  readonly #program: PretendProgram;
  readonly #place: PretendPlace;
  readonly #hooks: PretendHooks;
  readonly #end = new AbortController();
  readonly #readers = new Set<ReadableStreamDefaultController<Frame>>();
  readonly #input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 64 });
  readonly #writer = this.#input.writable.getWriter();
  #isOver = false;

  constructor(program: PretendProgram, place: PretendPlace, hooks: PretendHooks) {
    this.#program = program;
    this.#place = place;
    this.#hooks = hooks;
  }

  /**
   * Runs the program to its end.
   *
   * @param hasInput Whether somebody may attach to its standard input
   */
  async start(hasInput: boolean): Promise<void> {
    if (!hasInput) this.#endInput();
    const write = (output: string | Uint8Array, stream: Frame["stream"] = "stdout") => {
      const data = typeof output === "string" ? new TextEncoder().encode(output) : output.slice();
      if (!this.#isOver && data.length > 0) this.#send({ stream, data });
    };
    const { signal } = this.#end;
    let outcome: number | void | PretendOutcome;
    try {
      // The client that started it hears of its start before it hears of its end.
      await Promise.resolve();
      const process = { ...this.#place, stdin: this.#input.readable, signal, write };
      outcome = typeof this.#program === "function" ? await this.#program(process) : this.#program;
    } catch (error) {
      outcome = { stderr: `${error instanceof Error ? error.message : error}\n`, exitCode: 1 };
    }
    const { stdout = "", stderr = "", exitCode = 0 } = typeof outcome === "object"
      ? outcome
      : { exitCode: outcome ?? 0 };
    write(stdout);
    write(stderr, "stderr");
    this.end(exitCode);
  }

  /** Ends it with an exit code, whatever its function still does. */
  end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end.abort();
    this.#endInput();
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
    this.#hooks.exit(code);
  }

  /** Attaches to its streams. */
  attach(): Attachment {
    let own: ReadableStreamDefaultController<Frame> | undefined;
    const output = new ReadableStream<Frame>({
      start: (controller) => {
        if (this.#isOver) return controller.close();
        own = controller;
        this.#readers.add(controller);
      },
      cancel: () => void (own && this.#readers.delete(own)),
    });
    const input = new WritableStream<Uint8Array>({
      // A program that does not read has ended for its writers.
      write: (piece) => this.#writer.write(piece.slice()).catch(() => {}),
      close: () => this.#endInput(),
    });
    const close = () => {
      if (own !== undefined && this.#readers.delete(own)) own.close();
    };
    return { output, input, close };
  }

  #send(frame: Frame): void {
    this.#hooks.output?.(frame);
    for (const reader of this.#readers) reader.enqueue({ stream: frame.stream, data: frame.data.slice() });
  }

  #endInput(): void {
    this.#writer.close().catch(() => {});
  }
}
