import { readBody } from "../../../oci/registry/body.ts";
import { EngineError } from "../../errors.ts";
import { NO_CONTENT } from "../context/file_tree.ts";
import type { BuildRun } from "../build_run.ts";
import type { CopyItem } from "../context/select_files.ts";
import { parseGitURL } from "./git_source.ts";

/** The most bytes that `ADD` fetches from a URL: it is held while it is checked. */
const FETCH_LIMIT = 256 << 20;

/** Whether a source of `ADD` is fetched. */
export function isURL(text: string): boolean {
  return /^https?:\/\//i.test(text) || parseGitURL(text) !== undefined;
}

/**
 * Fetches a source of `ADD`.
 *
 * @param checksum `sha256:…`, which the content must have
 * @throws {EngineError} `limit` for a body of more than 256 MiB, or in far too many pieces; `invalid` for a status of failure, a name that
 * is none, or another checksum
 */
export async function fetchSource(run: BuildRun, url: string, checksum?: string): Promise<CopyItem> {
  const { net, codec } = run.core.ports;
  const name = nameIn(url);
  const response = await net.fetch(new Request(url, { signal: run.signal }));
  if (!response.ok) {
    await response.body?.cancel();
    throw new EngineError("invalid", `ADD failed: ${url} answers with status ${response.status}`);
  }
  const bytes = await readWhole(response, url);
  const hash = codec.hash();
  await hash.update(bytes);
  const digest = await hash.digest();
  if (checksum !== undefined && checksum !== digest) {
    throw new EngineError("invalid", `ADD failed: digest mismatch for ${url}: ${digest}, expected ${checksum}`);
  }
  const modified = Date.parse(response.headers.get("last-modified") ?? "");
  const mtime = Number.isNaN(modified) ? 0 : Math.floor(modified / 1000);
  const facts = { ...NO_CONTENT, mode: 0o600, uid: 0, gid: 0, mtime, size: bytes.length, digest };
  return { path: name, bytes, node: { kind: "file", ...facts } };
}

async function readWhole(response: Response, url: string): Promise<Uint8Array> {
  try {
    return await readBody(response, FETCH_LIMIT);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EngineError("limit", `ADD failed: fetch ${url}: ${error.message}`, { cause: error });
  }
}

/** The last part of a URL's path, decoded. A slash that was encoded in it leads nowhere. */
function nameIn(url: string): string {
  try {
    const name = decodeURIComponent(new URL(url).pathname.split("/").at(-1)!).replaceAll("/", "_");
    if (name !== "" && name !== "." && name !== ".." && !name.includes("\0")) return name;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new EngineError("invalid", `ADD failed: cannot determine filename from url: ${url}`);
}
