/** The methods of Uint8Array (ECMAScript 2026) that not every runtime has. */
interface Base64Bytes {
  toBase64?(): string;
}

/** Decodes base64 of either alphabet, padded or not. Returns undefined when the text is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]*={0,2}$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Encodes bytes as padded base64 of the standard alphabet. */
export function encodeBase64(bytes: Uint8Array & Base64Bytes): string {
  return bytes.toBase64?.() ?? btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
