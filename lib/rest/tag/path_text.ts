/** Percent-encodes the text of a path's segment, as `new URL` does: what is encoded already stays so. */
export function encodePathText(text: string): string {
  return text.replaceAll(/[^!#-;=?-[\]_a-z|~]+/gi, encodeURI);
}
