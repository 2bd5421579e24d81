const CHUNK = 0x2000;

/** Returns bytes as padded base64 (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Returns the bytes of a base64 text of either alphabet (RFC 4648, sections 4 and 5). Throws `SyntaxError` for another text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  } catch (error) {
    throw new SyntaxError("Decode base64: the text has characters or a length that base64 has not", { cause: error });
  }
}
