/**
 * One blob on its way into a repository: OCI distribution-spec "Pushing blobs".
 *
 * @module
 */
import { concatBytes } from "../bytes/bytes.ts";
import { discardBody } from "./body.ts";
import { errorOf, RegistryError } from "./registry_error.ts";
import { type HTTPOptions, pauseBefore, refuseErrors } from "./registry_http.ts";
import type { RegistrySession } from "./registry_session.ts";

/** A blob to upload. */
export interface Upload {
  /** The repository's path. */
  path: string;
  digest: string;
  size: number;
  /** The content from a byte on; asked for again after a cut. */
  open: (offset: number) => Promise<ReadableStream<Uint8Array>>;
  /** The address of an upload that the registry began in place of a mount. */
  location?: URL;
  signal?: AbortSignal;
}

/** Blobs up to this size go as one request with their length. */
const SMALL = 1024 * 1024;
/** This much progress between two cuts makes the count of retries begin anew. */
const PROGRESS = 1024 * 1024;

/** A place in an upload: where to go on, and from which byte. */
interface Place {
  location: URL;
  offset: number;
}

/**
 * Uploads a blob. After a cut it goes on from where the registry says, or from the start where it does not say.
 *
 * Throws `RegistryError`: the registry's refusal, `unreachable` when retries do not help.
 */
export async function uploadBlob(http: HTTPOptions, session: RegistrySession, upload: Upload): Promise<void> {
  const { signal } = upload;
  let place: Place | undefined = upload.location && { location: upload.location, offset: 0 };
  let counted = 0;
  for (let attempt = 0;;) {
    place ??= { location: await beginUpload(session, upload), offset: 0 };
    if (place.offset - counted >= PROGRESS) attempt = 0;
    counted = place.offset;
    try {
      return await finishUpload(session, upload, place);
    } catch (error) {
      signal?.throwIfAborted();
      const isEnded = error instanceof RegistryError && error.status === 404;
      if (!isEnded) {
        if (attempt >= http.retries || !mayPass(error, place)) throw error;
        await http.sleep(pauseBefore(http, attempt++), signal);
      }
      // The last request may have been heard though its answer was not; the runtime itself may then have sent it twice.
      if (await hasBlob(session, upload)) return;
      if (isEnded && (attempt++ >= http.retries || place.offset === 0)) throw error;
      place = await askProgress(session, upload, place.location);
    }
  }
}

/** Whether the repository has a blob. */
export async function hasBlob(
  session: RegistrySession,
  { path, digest, signal }: Pick<Upload, "path" | "digest" | "signal">,
): Promise<boolean> {
  const response = await session.send({ path: `/v2/${path}/blobs/${digest}`, method: "HEAD", signal });
  await discardBody(response);
  if (response.status === 200) return true;
  if (response.status === 404) return false;
  throw (await errorOf(response)).within(`checking whether a blob ${digest} exists in ${session.host}/${path}`);
}

async function beginUpload(session: RegistrySession, { path, signal }: Upload): Promise<URL> {
  const context = `initiating layer upload to /v2/${path}/blobs/uploads/ in ${session.host}`;
  const response = await session.send({ path: `/v2/${path}/blobs/uploads/`, method: "POST", ...NOTHING, signal });
  await refuseErrors(response, context, [202]);
  await discardBody(response);
  return await session.locate(response.headers.get("location"), signal);
}

async function finishUpload(session: RegistrySession, upload: Upload, place: Place): Promise<void> {
  const { digest, size, signal } = upload;
  const context = `uploading layer ${digest}`;
  if (size <= SMALL && place.offset === 0) {
    const bytes = await readWhole(await upload.open(0), size);
    return await closeUpload(session, upload, place.location, bytes);
  }
  const headers = {
    "content-type": "application/octet-stream",
    // Only a continued upload tells its range: some registries read it as a promise of the length too.
    ...(place.offset > 0 ? { "content-range": `${place.offset}-${size - 1}` } : {}),
  };
  const body = () => upload.open(place.offset);
  const response = await session.send({ path: place.location, method: "PATCH", headers, body, retries: 0, signal });
  await refuseErrors(response, context, [202, 201, 204]);
  await discardBody(response);
  await closeUpload(
    session,
    upload,
    await session.locate(response.headers.get("location") ?? place.location.href, signal),
  );
}

/** Ends the upload; with `bytes`, they are all of it. */
async function closeUpload(
  session: RegistrySession,
  { digest, signal }: Upload,
  location: URL,
  bytes?: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const path = new URL(location);
  path.searchParams.set("digest", digest);
  const headers = { "content-type": "application/octet-stream" };
  const content = bytes === undefined ? NOTHING : { body: () => bytes };
  const response = await session.send({ path, method: "PUT", headers, ...content, retries: 0, signal });
  await refuseErrors(response, `uploading layer ${digest}`, [201, 204]);
  await discardBody(response);
}

/** How far an upload got; `undefined` where it cannot be continued. */
async function askProgress(
  session: RegistrySession,
  { size, signal }: Upload,
  location: URL,
): Promise<Place | undefined> {
  try {
    const response = await session.send({ path: location, signal });
    await discardBody(response);
    const [, last] = /^(?:bytes[=\s])?0-(\d{1,15})$/.exec(response.headers.get("range") ?? "") ?? [];
    // Nothing and one byte look the same; all of it leaves nothing to send, which not every registry takes.
    if (response.status !== 204 || last === undefined || Number(last) === 0 || Number(last) + 1 >= size) {
      return undefined;
    }
    const next = await session.locate(response.headers.get("location") ?? location.href, signal);
    return { location: next, offset: Number(last) + 1 };
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** Whether trying again may help: the connection broke, the registry is busy, or what was continued did not fit. */
function mayPass(error: unknown, { offset }: Place): boolean {
  if (!(error instanceof RegistryError)) return false;
  if (error.code === "unreachable") return true;
  return error.status === 429 || error.status >= 500 || (offset > 0 && [400, 416].includes(error.status));
}

/** A body of no bytes: some registries insist on a length. */
const NOTHING = { body: () => new Uint8Array(0) };

async function readWhole(stream: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  const bytes = concatBytes(parts);
  if (bytes.length !== size) throw new RegistryError("corrupt", `a blob has ${bytes.length} bytes, expected ${size}`);
  return new Uint8Array(bytes);
}
