/** Percent-encodes literal path text as `new URL` does, and in the same spelling. */
export function encodePathText(text: string): string {
  return encodeURI(text).replaceAll(/%25([0-9A-Fa-f]{2})/g, "%$1").replaceAll("%5B", "[").replaceAll("%5D", "]")
    .replaceAll("%7C", "|");
}
