import type { Engine } from "../../lib/engine/engine.ts";
import { emptyAttachment } from "../../lib/engine/containers/streams/attach.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Attachment, Frame } from "../../lib/engine/ports/host_port.ts";
import { freeBytes, pourStream } from "../../lib/oci/bytes/byte_stream.ts";
import type { Context, Upgraded } from "../../lib/rest/mod.ts";
import type { AttachQuery } from "../wire/containers/container_query.ts";
import { socketBytes, wantsWebSocket } from "../socket_bytes.ts";
import { gatherPieces } from "./gather.ts";
import { addFrameHeader, streamType } from "./stream_frames.ts";
import { RequestError } from "../request_error.ts";

/** How the trees differ. */
export interface AttachForm {
  /** The first version that names framed streams by their own type. */
  framedSince: readonly [major: number, minor: number];
  /**
   * Whether an attach that comes before the start is the one to tell why the container cannot run. Docker's client wants to
   * hear it from the start.
   */
  tellsOfStart: boolean;
  /** Both streams as one, without frames, as Docker's WebSocket has it. */
  unframed?: boolean;
}

export const NATIVE_ATTACH: AttachForm = { framedSince: [4, 7], tellsOfStart: true };
export const COMPAT_ATTACH: AttachForm = { framedSince: [1, 42], tellsOfStart: false };
export const COMPAT_SOCKET: AttachForm = { ...COMPAT_ATTACH, unframed: true };

/**
 * Attaches the client's connection to a container's streams: 101 when it asks for an upgrade, else 200 on a connection that
 * is taken over all the same.
 */
export async function attachContainer(
  engine: Engine,
  name: string,
  query: AttachQuery,
  context: Context,
  form: AttachForm,
): Promise<Response> {
  const { logs = false, stream = true } = query;
  // No stream named: attach all three.
  const all = [query.stdin, query.stdout, query.stderr].every((chosen) => chosen === undefined);
  const { stdin = all, stdout = all, stderr = all } = query;
  if (!stdin && !stdout && !stderr) {
    throw new RequestError("malformed", "at least one of stdin, stdout, stderr must be true");
  }
  if (!stream && !logs) throw new RequestError("malformed", "at least one of Logs or Stream must be set");
  const { spec, id } = engine.containers.resolve(name);
  const { detachKeys } = query;
  const options = { stdin, stdout, stderr, logs, stream, detachKeys };
  const attachment = await engine.containers.attach(id, options).catch((error) => {
    if (form.tellsOfStart || !isAboutStart(engine, id, error)) throw error;
    return emptyAttachment();
  });
  const framed = !spec.terminal && !form.unframed;
  return await hijackSocket(context, attachment, { framed, stdin, since: form.framedSince });
}

/** Whether this is what the container itself failed of: its record says so, too. */
function isAboutStart({ containers }: Engine, id: string, error: unknown): boolean {
  return error instanceof EngineError && containers.exists(id) && containers.resolve(id).state.error === error.message;
}

async function hijackSocket(
  context: Context,
  attachment: Attachment,
  { framed, stdin, since }: { framed: boolean; stdin: boolean; since: readonly [number, number] },
): Promise<Response> {
  try {
    const connection = opensWebSocket(context.request) ? socketBytes(context) : await takeOver(context, framed, since);
    const done = joinStreams(attachment, connection, framed, stdin);
    context.platform.waitUntil?.(done);
    return connection.response;
  } catch (error) {
    attachment.close();
    throw error;
  }
}

/** Whether a request opens a WebSocket: with POST, Cockpit asks for an upgrade of that name and means the connection's bytes. */
function opensWebSocket(request: Request): boolean {
  return request.method === "GET" && wantsWebSocket(request);
}

/** Takes the client's connection over for a stream: 101 when it asks for an upgrade, else 200. */
export async function takeOver(
  context: Context,
  framed: boolean,
  since: readonly [number, number],
): Promise<Upgraded> {
  const asked = context.request.headers.get("upgrade");
  const headers = new Headers({ "Content-Type": streamType(framed, context.version, since) });
  if (asked !== null) {
    headers.set("Connection", "Upgrade");
    headers.set("Upgrade", asked);
  }
  return await context.upgrade({ status: asked === null ? 200 : 101, headers });
}

/** Copies both ways until the container's output ends or the client goes away. */
export async function joinStreams(
  attachment: Attachment,
  { readable, writable, handsBack }: Omit<Upgraded, "response">,
  framed: boolean,
  stdin: boolean,
): Promise<void> {
  // A client that closes its half still listens; one that is lost ends both directions.
  const input = pourStream(readable, stdin ? attachment.input : new WritableStream()).catch(() => attachment.close());
  // A message of a WebSocket is one frame; bytes of a connection have no borders.
  const output = bytesOf(attachment.output, framed, handsBack ? undefined : 1);
  try {
    await (handsBack ? pourStream(output, writable) : output.pipeTo(writable));
  } catch {
    // The client is gone; the container goes on.
  } finally {
    attachment.close();
    await input;
  }
}

function bytesOf(frames: ReadableStream<Frame>, framed: boolean, enough?: number): ReadableStream<Uint8Array> {
  return gatherPieces(frames, ({ stream, data }, piece) => {
    if (framed) addFrameHeader(piece, stream, data.length);
    piece.add(data);
    freeBytes(data);
  }, { enough });
}

/** Attaches a page's WebSocket to a container's streams. */
export function attachSocket(
  engine: Engine,
  name: string,
  query: AttachQuery,
  context: Context,
  form: AttachForm,
): Promise<Response> {
  // A page is not told why its WebSocket is refused: a plain request for the same address says so.
  engine.containers.resolve(name);
  // Before the container is touched.
  if (!wantsWebSocket(context.request)) {
    throw new RequestError("malformed", "Open a WebSocket: the request does not ask for one");
  }
  return attachContainer(engine, name, query, context, form);
}
