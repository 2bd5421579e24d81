/** The first bytes of some kinds of files; `*` stands for any byte. */
const SIGNATURES: readonly [type: string, magic: string][] = [
  ["application/pdf", "%PDF-"],
  ["application/postscript", "%!PS-Adobe-"],
  ["image/x-icon", "\x00\x00\x01\x00"],
  ["image/bmp", "BM"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF****WEBPVP"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["audio/aiff", "FORM****AIFF"],
  ["audio/mpeg", "ID3"],
  ["application/ogg", "OggS\x00"],
  ["audio/midi", "MThd\x00\x00\x00\x06"],
  ["video/avi", "RIFF****AVI "],
  ["audio/wave", "RIFF****WAVE"],
  ["video/webm", "\x1a\x45\xdf\xa3"],
  ["font/woff", "wOFF"],
  ["font/woff2", "wOF2"],
  ["font/otf", "OTTO"],
  ["application/x-gzip", "\x1f\x8b\x08"],
  ["application/zip", "PK\x03\x04"],
  ["application/x-rar-compressed", "Rar!\x1a\x07\x00"],
  ["application/x-rar-compressed", "Rar!\x1a\x07\x01\x00"],
  ["application/wasm", "\x00asm"],
];

const TAGS = "!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--";
const HTML = new RegExp(`^[\\t\\n\\f\\r ]*<(?:${TAGS})(?:[ >]|(?<=--))`, "i");

/** Bytes that are looked at. */
export const SNIFFED = 512;

/**
 * Tells a file's media type by its first {@linkcode SNIFFED} bytes, after WHATWG's MIME sniffing: known signatures, markup,
 * else text or `application/octet-stream`.
 */
export function contentType(head: Uint8Array): string {
  const start = head.subarray(0, SNIFFED);
  const known = SIGNATURES.find(([, magic]) => beginsWith(start, magic));
  if (known) return known[0];
  const text = Array.from(start, (byte) => String.fromCharCode(byte)).join("");
  if (HTML.test(text)) return "text/html; charset=utf-8";
  if (/^[\t\n\f\r ]*<\?xml/.test(text)) return "text/xml; charset=utf-8";
  if (text.startsWith("\xfe\xff")) return "text/plain; charset=utf-16be";
  if (text.startsWith("\xff\xfe")) return "text/plain; charset=utf-16le";
  return start.some(isBinary) ? "application/octet-stream" : "text/plain; charset=utf-8";
}

function beginsWith(bytes: Uint8Array, magic: string): boolean {
  if (bytes.length < magic.length) return false;
  return [...magic].every((letter, i) => letter === "*" || bytes[i] === letter.charCodeAt(0));
}

function isBinary(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}
