/**
 * Values in paths, in the client module and on the page. The typed client, which has to be small, does the same in its own place
 * (`call/write_request.ts`).
 *
 * @module
 */

/**
 * Encodes a value for its place in a path: `whole` for a segment of its own, `shared` for a part of one, which another name follows, and
 * `remainder` for all segments to the end. Returns undefined for one that cannot stand there: an address would lose it, or a part of it.
 */
export function encodePathValue(text: string, place: "whole" | "shared" | "remainder"): string | undefined {
  if (place === "remainder") return /(^|\/)\.{1,2}(\/|$)|[?#%\\]/.test(text) ? undefined : encodeURI(text);
  if (/^\.{1,2}$/.test(text)) return undefined;
  const encoded = encodeURIComponent(text);
  // The literal between two names of one segment is looked for from the front.
  return place === "whole" ? encoded : encoded.replace(/[-_.!~*'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}
