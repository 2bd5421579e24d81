/** Percent-encodes literal path text as `new URL` does, and in the same spelling: what is encoded already stays so. */
export function encodePathText(text: string): string {
  return encodeURI(text).replaceAll(/%(25(?=[\dA-F]{2})|5B|5D|7C)/gi, decodeURIComponent);
}
