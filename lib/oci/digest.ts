/**
 * Content digests, OCI image-spec "Descriptors", section "Digests".
 *
 * @module
 */

/** A digest taken apart. */
export interface DigestParts {
  algorithm: "sha256" | "sha384" | "sha512";
  hex: string;
}

const HEX_LENGTH = { sha256: 64, sha384: 96, sha512: 128 } as const;

/** Whether the text is a digest of a registered algorithm, in lower-case hex of the right length. */
export function isDigest(text: string): boolean {
  return splitDigest(text) !== undefined;
}

/** Takes a digest apart. Throws `SyntaxError` unless {@linkcode isDigest}. */
export function parseDigest(text: string): DigestParts {
  const parts = splitDigest(text);
  if (parts === undefined) {
    throw new SyntaxError(`Parse digest "${text.slice(0, 200)}": invalid checksum digest format`);
  }
  return parts;
}

/** Whether the text is 64 lower-case hex digits: an image or container ID, never a name. */
export function isID(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether the text is a digest by SHA-256: of a layer, a blob or an image's config. */
export function isSHA256(text: string): boolean {
  return text.startsWith("sha256:") && isID(text.slice(7));
}

function splitDigest(text: string): DigestParts | undefined {
  const match = /^(sha256|sha384|sha512):([0-9a-f]{64,128})$/.exec(text);
  if (match === null) return undefined;
  // The pattern allows these three names only.
  const algorithm = match[1] as DigestParts["algorithm"];
  return match[2].length === HEX_LENGTH[algorithm] ? { algorithm, hex: match[2] } : undefined;
}
