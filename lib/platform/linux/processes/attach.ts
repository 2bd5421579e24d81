/**
 * Attaching to a container's standard streams through conmon's socket.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { closeOnExec } from "../libc.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { Attachment, Frame } from "../../../engine/host_port.ts";
import { ATTACH_HELPER } from "./attach_helper.ts";
import { FrameReader } from "./frames.ts";

type Helper = ChildProcessByStdio<Writable, Readable, Readable>;

/** The largest piece of input in one frame. */
const PIECE = 64 * 1024;

/** Which streams are wanted. */
export interface AttachStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/** Connects to the supervisor whose socket is in `bundle`. Resolves when nothing the container says from now on is missed. */
export async function attachTo(bundle: string, streams: AttachStreams): Promise<Attachment> {
  closeOnExec();
  const helper: Helper = spawn("perl", ["-e", ATTACH_HELPER], {
    cwd: bundle,
    env: { LC_ALL: "C" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const frames = new FrameReader(helper.stdout);
  const said = text(helper.stderr);
  const failed = once(helper, "error").then(([error]) => error.message as string);
  helper.stdin.on("error", () => {});
  const first = await Promise.race([frames.read(), failed]);
  if (first === undefined || typeof first === "string") {
    helper.kill("SIGKILL");
    const detail = first ?? (await said).trim();
    throw new EngineError("state", `Attach: ${detail || "the supervisor is gone"}`);
  }
  const close = () => {
    helper.kill("SIGKILL");
    for (const pipe of [helper.stdin, helper.stdout, helper.stderr]) pipe.destroy();
  };
  return { output: outputOf(frames, streams, close), input: inputOf(helper, streams.stdin), close };
}

function outputOf(frames: FrameReader, wanted: AttachStreams, close: () => void): ReadableStream<Frame> {
  return new ReadableStream<Frame>({
    async pull(controller) {
      for (;;) {
        const frame = await frames.read();
        if (frame === undefined) {
          close();
          return controller.close();
        }
        const stream = frame.stream === 3 ? "stderr" : "stdout";
        // What is not wanted is read all the same, or the container would stand still.
        if (wanted[stream]) return controller.enqueue({ stream, data: frame.data });
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

function inputOf(helper: Helper, wanted: boolean): WritableStream<Uint8Array> {
  const { stdin } = helper;
  const gone = once(helper, "exit").then(() => true, () => true);
  const write = async (bytes: Uint8Array) => {
    // With the container the reader of its input goes: what is still to come has nowhere to go, which is no error.
    if (!stdin.writable || stdin.write(bytes)) return;
    await Promise.race([once(stdin, "drain"), gone]).catch(() => {});
  };
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      if (!wanted) return;
      for (let at = 0; at < chunk.length; at += PIECE) await write(framed(chunk.subarray(at, at + PIECE)));
    },
    async close() {
      if (wanted) await write(framed(new Uint8Array(0)));
    },
  });
}

function framed(payload: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(4 + payload.length);
  frame.writeUInt32BE(payload.length);
  frame.set(payload, 4);
  return frame;
}

async function text(stream: Readable): Promise<string> {
  let whole = "";
  try {
    for await (const chunk of stream) if (whole.length < 4096) whole += new TextDecoder().decode(chunk as Uint8Array);
  } catch {
    // Destroyed with the helper.
  }
  return whole;
}
