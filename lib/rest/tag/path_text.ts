/** Percent-encodes the text of a path's segment, as `new URL` does: what is encoded already stays so. */
export const encodePathText = (text: string): string => text.replaceAll(/[^!#-;=?-[\]_a-z|~]+/gi, encodeURI);
