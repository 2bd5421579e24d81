/**
 * The media type of a file, by its name and its first bytes.
 *
 * @module
 */
import { decodeLatin1 } from "./bytes/bytes.ts";

/** How many first bytes are looked at. */
export const SNIFFED = 512;

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["avif", "image/avif"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["gz", "application/gzip"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["mjs", "text/javascript"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["tar", "application/x-tar"],
  ["txt", "text/plain"],
  ["wasm", "application/wasm"],
  ["webp", "image/webp"],
  ["xml", "text/xml"],
  ["zip", "application/zip"],
]);

const MAGIC: readonly [bytes: string, type: string][] = [
  ["\x1f\x8b\x08", "application/x-gzip"],
  ["PK\x03\x04", "application/zip"],
  ["%PDF-", "application/pdf"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["\x00asm", "application/wasm"],
  ["\xef\xbb\xbf", "text/plain"],
];

/** Its extension decides, then what it begins with: text has no control characters (WHATWG MIME Sniffing, section 7). */
export function fileMediaType(name: string, head: Uint8Array): string {
  const dot = name.lastIndexOf(".");
  const known = dot < 0 ? undefined : EXTENSIONS.get(name.slice(dot + 1).toLowerCase());
  if (known !== undefined) return known;
  const text = decodeLatin1(head.subarray(0, SNIFFED));
  const [, magic] = MAGIC.find(([bytes]) => text.startsWith(bytes)) ?? [];
  if (magic !== undefined) return magic;
  // deno-lint-ignore no-control-regex -- these are the bytes that no text has
  return /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text) ? "application/octet-stream" : "text/plain";
}
