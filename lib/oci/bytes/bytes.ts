/**
 * Byte arrays: joined, and as texts that lose nothing.
 *
 * @module
 */

/** Several byte arrays as one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Bytes as text, one character each: a map key that loses nothing. */
export function decodeLatin1(bytes: Uint8Array): string {
  let result = "";
  for (let i = 0; i < bytes.length; i++) result += String.fromCharCode(bytes[i]);
  return result;
}

/** The inverse of {@linkcode decodeLatin1}. */
export function fromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const DIGITS = "0123456789abcdef";

/** Returns bytes as hexadecimal digits, two for each. */
export function hexText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte >> 4] + DIGITS[byte & 15];
  return text;
}
