/**
 * Quadlets from elsewhere: a file by its address, or the files of an OCI artifact.
 *
 * @module
 */
import { readStream } from "../../oci/registry/body.ts";
import { tarEntries } from "../../oci/tar/tar_entries.ts";
import type { Artifacts } from "../artifacts/artifacts.ts";
import { EngineError } from "../errors.ts";
import type { RegistryAccess } from "../images/types.ts";
import type { Net } from "../ports/ports.ts";
import type { ShelfFile } from "../ports/quadlet_port.ts";
import { QUADLET_LIMIT } from "./quadlet_names.ts";

/** Files of an artifact. */
const FILE_COUNT = 200;
const ADDRESS = /^https?:\/\//i;
const ARTIFACT = /^(?:docker|oci):\/\//;

/** How quadlets are fetched. */
export interface FetchOptions extends Pick<RegistryAccess, "credentials" | "tlsVerify"> {
  signal?: AbortSignal;
}

/**
 * Fetches the files of an installation.
 *
 * @param source `https://…/web.container`, or `docker://quay.io/team/web-quadlet:1` for an artifact
 * @throws `EngineError`: `invalid` for another source, for an answer without success, and for a name that is missing; `limit` for
 *   too many bytes or files; `registry`
 */
export async function fetchQuadlet(
  parts: { net: Net; artifacts: Artifacts },
  source: string,
  options: FetchOptions = {},
): Promise<ShelfFile[]> {
  if (ADDRESS.test(source)) return [await fetchFile(parts.net, source, options)];
  if (ARTIFACT.test(source)) return await fetchArtifact(parts.artifacts, source.replace(ARTIFACT, ""), options);
  const text = `"${source.slice(0, 200)}" is neither an address (https://…) nor an artifact (docker://…)`;
  throw new EngineError("invalid", `Fetch quadlet: ${text}`);
}

async function fetchFile(net: Net, address: string, { signal }: FetchOptions): Promise<ShelfFile> {
  if (!URL.canParse(address)) throw new EngineError("invalid", "Fetch quadlet: its address is no URL");
  const url = new URL(address);
  // The address may hold a password.
  const place = `${url.host}${url.pathname}`;
  let response: Response;
  try {
    response = await net.fetch(new Request(url, { signal }));
  } catch (error) {
    signal?.throwIfAborted();
    throw new EngineError("invalid", `Fetch quadlet ${place}: there is no answer`, { cause: error });
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new EngineError("invalid", `Fetch quadlet ${place}: HTTP status ${response.status}`);
  }
  const name = fileNameOf(response, url);
  if (name === "") {
    await response.body.cancel();
    throw new EngineError("invalid", `Fetch quadlet ${place}: neither the answer nor the address names a file`);
  }
  return { name, content: await readBounded(response.body, place, QUADLET_LIMIT) };
}

/** The file's name by the answer, or else by the address, as Podman finds it. */
function fileNameOf(response: Response, { pathname }: URL): string {
  const given = /filename=\s*("[^"]*"|'[^']*'|[^;\s]*)/i.exec(response.headers.get("content-disposition") ?? "")?.[1];
  const name = given?.replace(/^["'](.*)["']$/, "$1") ?? pathname.slice(pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** An artifact that was not here before goes again. */
async function fetchArtifact(artifacts: Artifacts, name: string, options: FetchOptions): Promise<ShelfFile[]> {
  const known = new Set(artifacts.list().map(({ digest }) => digest));
  const { digest, manifest } = await artifacts.pull(name, options);
  try {
    if (manifest.layers.length > FILE_COUNT) {
      throw new EngineError("limit", `Fetch quadlet ${name}: more than ${FILE_COUNT} files`);
    }
    const files: ShelfFile[] = [];
    let size = 0;
    const limits = { entries: 2 * FILE_COUNT, bytes: Infinity };
    for await (const entry of tarEntries(artifacts.extract(digest), limits)) {
      const content = await readBounded(entry.content(), name, QUADLET_LIMIT - size);
      size += content.length;
      files.push({ name: entry.path, content });
    }
    return files;
  } finally {
    if (!known.has(digest)) await artifacts.remove([digest], { ignore: true });
  }
}

async function readBounded(
  stream: ReadableStream<Uint8Array>,
  place: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readStream(stream, limit));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EngineError("limit", `Fetch quadlet ${place}: more than ${QUADLET_LIMIT} bytes`, { cause: error });
  }
}
