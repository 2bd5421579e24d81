import { ByteReader } from "../oci/bytes/byte_reader.ts";
import { ClientError } from "./client_error.ts";

/**
 * A piece of a program's output.
 *
 * @example
 * ```ts
 * import type { OutputFrame } from "./mod.ts";
 * const frame: OutputFrame = { stream: "stderr", data: new TextEncoder().encode("oh\n") };
 * ```
 */
export interface OutputFrame {
  readonly stream: "stdout" | "stderr";
  readonly data: Uint8Array;
}

/** Bytes of a frame's header: the number of the stream, three zeros, the length as a big-endian number of 32 bits. */
const HEADER = 8;

/** The streams by number; a server that echoes standard input (0) means it as output. */
const STREAMS = ["stdout", "stdout", "stderr"] as const;

/**
 * Takes the frames of a container's output apart, as log, attach and exec send them (Docker Engine API, "Stream format"). A frame may
 * come in several pieces, so that large ones are not held.
 *
 * @param isRaw There are no frames, as from a terminal: all of it is standard output
 * @param signal The signal that cuts the bytes short: the frames fail with its reason then, and do not end as if they were whole
 * @throws {ClientError} `internal` from the stream, where the bytes are no frames, or end within one
 */
export function readFrames(
  bytes: ReadableStream<Uint8Array>,
  isRaw: boolean,
  signal?: AbortSignal,
): ReadableStream<OutputFrame> {
  const reader = new ByteReader(bytes);
  let left = 0;
  let stream: OutputFrame["stream"] = "stdout";
  return new ReadableStream<OutputFrame>({
    async pull(controller) {
      while (!isRaw && left === 0) {
        const header = await reader.exactly(HEADER);
        signal?.throwIfAborted();
        if (header.length === 0) return controller.close();
        ({ stream, left } = parseHeader(header));
      }
      const data = await reader.some(isRaw ? Infinity : left);
      if (data === undefined) {
        signal?.throwIfAborted();
        if (!isRaw) throw brokenFrames("the stream ends within a frame");
        return controller.close();
      }
      if (!isRaw) left -= data.length;
      controller.enqueue({ stream, data });
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

function parseHeader(header: Uint8Array): { stream: OutputFrame["stream"]; left: number } {
  const stream = STREAMS[header[0]];
  if (header.length < HEADER || stream === undefined || header[1] !== 0 || header[2] !== 0 || header[3] !== 0) {
    throw brokenFrames("these bytes are no frame's header");
  }
  return { stream, left: new DataView(header.buffer, header.byteOffset).getUint32(4) };
}

function brokenFrames(why: string): ClientError {
  return new ClientError("internal", `Read output: ${why}`);
}

/** A line of output, without its end. */
export interface OutputLine {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** The lines of output, each stream's its own; a last one without an end counts. */
export async function* readLines(frames: ReadableStream<OutputFrame>): AsyncGenerator<OutputLine, void> {
  const rest = { stdout: "", stderr: "" };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, data } of frames) {
    const lines = (rest[stream] + decoders[stream].decode(data, { stream: true })).split("\n");
    rest[stream] = lines.pop() ?? "";
    for (const text of lines) yield { stream, text: text.replace(/\r$/, "") };
  }
  for (const stream of ["stdout", "stderr"] as const) {
    const text = rest[stream] + decoders[stream].decode();
    if (text !== "") yield { stream, text };
  }
}
