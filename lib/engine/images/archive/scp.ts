import { readStream } from "../../../oci/registry/body.ts";
import { requireHost } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageParts } from "../ingest/ingest.ts";
import type { Peer } from "../../ports/peers_port.ts";
import { loadImages } from "./load.ts";
import { saveImages } from "./save.ts";
import { messageOf } from "../../../oci/message_of.ts";

/** Most bytes of another engine's report. */
const REPORT = 1024 * 1024;

/** An image, and the engine it is in: `connection::image`, this engine's where no connection is named. */
interface Place {
  connection: string;
  image: string;
}

/**
 * Copies an image to another engine, from one, or from one to another. It goes through as a stream.
 *
 * @param source `image` or `connection::image`
 * @param destination `connection::`, or nothing where the source names one
 * @returns The name or ID that it has there
 * @throws {EngineError} `invalid`, `no_such_image`, and `registry` with what the other engine answered
 */
export async function copyImage(
  parts: ImageParts,
  { source, destination }: { source: string; destination: string },
  signal: AbortSignal,
): Promise<string> {
  const from = placeOf(source);
  const to = placeOf(destination === "" || destination.includes("::") ? destination : `${destination}::`);
  if (from.image === "") throw new EngineError("invalid", "must specify an image to copy");
  if (to.image !== "") throw new EngineError("invalid", "cannot specify an image rename");
  if (from.connection === "" && to.connection === "") {
    throw new EngineError("invalid", "must specify a destination: CONNECTION::");
  }
  const { peers } = requireHost(parts.core);
  using sender = from.connection === "" ? undefined : await peers.connect(from.connection);
  using receiver = to.connection === "" ? undefined : await peers.connect(to.connection);
  const archive = sender
    ? await fetchArchive(sender, from.image, signal)
    : await saveImages(parts, [from.image], { format: "docker-archive", signal });
  const names = receiver
    ? await sendArchive(receiver, archive, signal)
    : (await loadImages(parts, archive, signal)).names;
  if (names.length === 0) throw new EngineError("internal", `Copy ${source}: nothing was loaded`);
  return names[0];
}

async function fetchArchive(peer: Peer, image: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({ references: image, format: "docker-archive" });
  const response = await send(peer, new Request(`http://d/v4.0.0/libpod/images/export?${query}`, { signal }));
  if (response.body) return response.body;
  throw new EngineError("registry", `Copy ${image}: the other engine sent nothing`);
}

async function sendArchive(peer: Peer, archive: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string[]> {
  const headers = { "content-type": "application/x-tar" };
  // A body that is sent as it comes has to say so; the types of the DOM have no word for it.
  const init: RequestInit & { duplex: "half" } = { method: "POST", body: archive, headers, signal, duplex: "half" };
  const response = await send(peer, new Request("http://d/v4.0.0/libpod/images/load", init));
  const report: unknown = JSON.parse(await textOf(response));
  const names = typeof report === "object" && report !== null && "Names" in report ? report.Names : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

async function send(peer: Peer, request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await peer.fetch(request);
  } catch (cause) {
    const why = messageOf(cause);
    throw new EngineError("registry", `Reach the other engine: ${why}`, { cause });
  }
  if (response.ok) return response;
  const text = await textOf(response).catch(() => "");
  throw new EngineError("registry", `the other engine answered ${response.status}: ${errorTextOf(text)}`);
}

async function textOf({ body }: Response): Promise<string> {
  return body === null ? "" : new TextDecoder().decode(await readStream(body, REPORT, Infinity));
}

function errorTextOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}

function placeOf(text: string): Place {
  const at = text.lastIndexOf("::");
  return at < 0 ? { connection: "", image: text } : { connection: text.slice(0, at), image: text.slice(at + 2) };
}
