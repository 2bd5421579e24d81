/**
 * Attaching to a container's standard streams through conmon's socket.
 *
 * @module
 */
import { once } from "node:events";
import type { Readable } from "node:stream";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../../helpers/spawn.ts";
import { EngineError } from "../../../../engine/errors.ts";
import type { Attachment, Frame } from "../../../../engine/ports/host_port.ts";
import { freeBytes } from "../../../../oci/bytes/byte_stream.ts";
import { ATTACH_PROGRAM, perlArguments } from "../../perl/programs.ts";
import { attachInput } from "./attach_input.ts";
import { fieldText, FrameReader } from "../../perl/frames.ts";

/** Which streams are wanted. */
export interface AttachStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/**
 * Connects to the supervisor whose socket is in `bundle`. Resolves when nothing the container says from now on is missed.
 *
 * @param onClose Called when its reader has come to the end, or nobody reads any more
 */
export async function attachTo(bundle: string, streams: AttachStreams, onClose = () => {}): Promise<Attachment> {
  const helper = startPipedProgram("perl", perlArguments(ATTACH_PROGRAM, "Attach", []), {
    cwd: bundle,
    env: HELPER_ENVIRONMENT,
  });
  const frames = new FrameReader(helper.stdout);
  const said = readText(helper.stderr);
  const failed = once(helper, "error").then(([error]) => error.message as string);
  helper.stdin.on("error", () => {});
  // Whoever waits for room in its input goes on.
  helper.once("exit", () => helper.stdin.destroy());
  const first = await Promise.race([frames.read(), failed]);
  if (first === undefined || typeof first === "string") {
    helper.kill("SIGKILL");
    const detail = first ?? (await said).trim();
    throw new EngineError("state", `Attach: ${detail || "the supervisor is gone"}`);
  }
  const close = () => {
    helper.kill("SIGKILL");
    for (const pipe of [helper.stdin, helper.stdout, helper.stderr]) pipe.destroy();
    onClose();
  };
  return { output: outputOf(frames, streams, close), input: attachInput(helper.stdin, streams.stdin), close };
}

/** The output that comes in frames `stdout` and `stderr`, as far as it is wanted. `close` is called at its end, and when nobody reads it any more. */
export function outputOf(frames: FrameReader, wanted: AttachStreams, close: () => void): ReadableStream<Frame> {
  return new ReadableStream<Frame>({
    async pull(controller) {
      for (;;) {
        const frame = await frames.read();
        if (frame === undefined) {
          close();
          return controller.close();
        }
        const [word, data] = frame;
        const stream = fieldText(word) === "stderr" ? "stderr" : "stdout";
        // Streams that the client did not request are read all the same, or the container would stand still.
        if (wanted[stream]) return controller.enqueue({ stream, data });
        freeBytes(data);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

async function readText(stream: Readable): Promise<string> {
  let whole = "";
  try {
    for await (const chunk of stream) if (whole.length < 4096) whole += new TextDecoder().decode(chunk as Uint8Array);
  } catch {
    // Destroyed with the helper.
  }
  return whole;
}
