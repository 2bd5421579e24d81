/**
 * Attaching to a container's standard streams through conmon's socket.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { EngineError } from "../../../../engine/errors.ts";
import type { Attachment, Frame } from "../../../../engine/ports/host_port.ts";
import { freeBytes } from "../../../../oci/bytes/byte_stream.ts";
import { fieldText, type FrameReader } from "../../perl/frames.ts";
import { CREATE_TIMEOUT } from "../nursery/conmon.ts";
import { type Carriers, firstConnection, type NurseryConnection } from "../nursery/nursery_sockets.ts";
import { attachInput } from "./attach_input.ts";

/** Which streams are wanted. */
export interface AttachStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/**
 * Connects to the supervisor whose socket is in `bundle`. Resolves when nothing the container says from now on is missed. Throws
 * `EngineError("state")` where there is none.
 *
 * @param onClose Called when its reader has come to the end, or nobody reads any more
 */
export async function attachTo(
  { nursery, sockets, runroot }: Carriers,
  bundle: string,
  streams: AttachStreams,
  onClose = () => {},
): Promise<Attachment> {
  const key = randomUUID();
  using expected = await sockets.expect(key);
  const helper = await nursery.attach([runroot, key, bundle]);
  const timer = setTimeout(helper.kill, CREATE_TIMEOUT);
  const { line, errors } = await helper.said.finally(() => clearTimeout(timer));
  const lost = () => new EngineError("state", `Attach: ${errors.trim() || "the supervisor is gone"}`);
  if (line !== "attached\n") throw lost();
  return attachmentOver(await firstConnection(expected.connection, helper, lost), streams, onClose);
}

/** The attachment that goes over a connection of the nursery. */
export function attachmentOver(
  { socket, frames }: NurseryConnection,
  streams: AttachStreams,
  onClose = () => {},
): Attachment {
  const close = () => {
    socket.destroy();
    onClose();
  };
  return { output: outputOf(frames, streams, close), input: attachInput(socket, streams.stdin), close };
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
