import { EngineError } from "../../errors.ts";
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
 */
export async function fetchSource(run: BuildRun, url: string, checksum?: string): Promise<CopyItem> {
  const { net, codec } = run.core.ports;
  const response = await net.fetch(new Request(url, { signal: run.signal }));
  if (!response.ok) {
    await response.body?.cancel();
    throw new EngineError("invalid", `ADD failed: ${url} answers with status ${response.status}`);
  }
  const bytes = await readBounded(response, url);
  const hash = codec.hash();
  await hash.update(bytes);
  const digest = await hash.digest();
  if (checksum !== undefined && checksum !== digest) {
    throw new EngineError("invalid", `ADD failed: digest mismatch for ${url}: ${digest}, expected ${checksum}`);
  }
  const name = new URL(url).pathname.split("/").at(-1);
  if (!name) throw new EngineError("invalid", `ADD failed: cannot determine filename from url: ${url}`);
  const modified = Date.parse(response.headers.get("last-modified") ?? "");
  const mtime = Number.isNaN(modified) ? 0 : Math.floor(modified / 1000);
  const facts = { mode: 0o600, uid: 0, gid: 0, mtime, link: "", size: bytes.length, offset: 0, digest };
  return { path: decodeURIComponent(name).replaceAll("/", "_"), bytes, node: { kind: "file", ...facts } };
}

async function readBounded(response: Response, url: string): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    if (size > FETCH_LIMIT) throw new EngineError("limit", `ADD failed: ${url} has more than ${FETCH_LIMIT} bytes`);
    parts.push(new Uint8Array(bytes));
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
