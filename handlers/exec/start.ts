import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { ExecConfig } from "../../lib/engine/containers/exec/session.ts";
import type { TerminalSize } from "../../lib/engine/records/spec_parts.ts";
import type { Attachment, Frame } from "../../lib/engine/ports/host_port.ts";
import type { Context, Upgraded } from "../../lib/rest/mod.ts";
import { joinStreams, takeOver } from "../containers/attach.ts";
import { socketBytes } from "../socket_bytes.ts";
import type { ExecStartConfig } from "../wire/exec/exec.ts";
import { terminalSize } from "./terminal_size.ts";
import { errorText } from "../images/pull_progress.ts";

/** The form of a stream that a started session gets. */
interface StartForm {
  /** The first version that names framed streams by their own type. */
  since: readonly [number, number];
  /** Whether its bytes come in frames; those of a session without a terminal by default. */
  framed?: boolean;
}

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
  { since, framed }: StartForm,
): Promise<Response> {
  const { execs } = engine.containers;
  const { config } = execs.startable(id);
  const size = terminalSize([h, w]) ?? terminalSize(ConsoleSize) ?? config.size;
  if (Detach) {
    await execs.start(id, { detach: true, size });
    return new Response(null, { status: 200 });
  }
  const inFrames = framed ?? !config.terminal;
  return runSession(engine, id, { config, size, inFrames }, context, await takeOver(context, inFrames, since));
}

/**
 * Starts a session over a page's WebSocket, which cannot take a connection over. Each message is a frame, or bytes of the terminal.
 *
 * @throws {RequestError} 400 where no WebSocket is asked for: the session is not started
 */
export function startExecSocket(
  engine: Engine,
  id: string,
  { h, w }: { h?: number; w?: number },
  context: Context,
): Response {
  const { config } = engine.containers.execs.startable(id);
  const size = terminalSize([h ?? 0, w ?? 0]) ?? config.size;
  return runSession(engine, id, { config, size, inFrames: !config.terminal }, context, socketBytes(context));
}

/** Starts a session for a client whose connection is taken over already. */
function runSession(
  engine: Engine,
  id: string,
  { config, size, inFrames }: { config: ExecConfig; size: TerminalSize | undefined; inFrames: boolean },
  context: Context,
  connection: Upgraded,
): Response {
  const started = engine.containers.execs.start(id, { detach: false, size }).catch(failedAttachment);
  const done = started.then((attachment) =>
    joinStreams(attachment ?? emptyAttachment(), connection, inFrames, config.attachStdin)
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
