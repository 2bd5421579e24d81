import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Attachment, Frame } from "../../lib/engine/ports/host_port.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { joinStreams, takeOver } from "../containers/attach.ts";
import type { ExecStartConfig } from "../wire/exec/exec.ts";
import { terminalSize } from "./terminal_size.ts";
import { errorText } from "../images/pull_progress.ts";

/**
 * Starts a session. Attached, it takes the client's connection over first: Podman's client loses what comes in one piece with
 * the reply's head. The runtime's message about a process that it cannot run goes into the stream, where clients look for
 * it; the code is the session's.
 */
export async function startExec(
  engine: Engine,
  id: string,
  { Detach, h, w, ConsoleSize }: ExecStartConfig,
  context: Context,
  since: readonly [number, number],
): Promise<Response> {
  const { execs } = engine.containers;
  const { config } = execs.startable(id);
  const size = terminalSize([h, w]) ?? terminalSize(ConsoleSize) ?? config.size;
  if (Detach) {
    await execs.start(id, { detach: true, size });
    return new Response(null, { status: 200 });
  }
  const framed = !config.terminal;
  const connection = await takeOver(context, framed, since);
  const started = execs.start(id, { detach: false, size }).catch(failedAttachment);
  const done = started.then((attachment) =>
    joinStreams(attachment ?? emptyAttachment(), connection, framed, config.attachStdin)
  );
  context.platform.waitUntil?.(done);
  return connection.response;
}

/** A stream with nothing but an error. */
function failedAttachment(error: unknown): Attachment {
  const text = error instanceof EngineError ? errorText(error) : "Internal error";
  return emptyAttachment({ stream: "stderr", data: new TextEncoder().encode(`Error: ${text}\n`) });
}

/** A stream with this, and nobody at its other end. */
function emptyAttachment(...frames: Frame[]): Attachment {
  return { output: ReadableStream.from(frames), input: new WritableStream(), close: () => {} };
}
