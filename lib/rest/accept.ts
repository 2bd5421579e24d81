/** One range of an Accept header. */
interface Range {
  readonly type: string;
  readonly q: number;
}

/**
 * Picks the type a client likes best (RFC 9110, 12.5.1).
 *
 * @param header The Accept header; none, or an empty one, accepts everything
 * @param offered What can be written, the most wanted first
 * @returns One of `offered`, or undefined when the client accepts none
 */
export function negotiate(header: string | null, offered: readonly string[]): string | undefined {
  if (header === null || header === "*/*" || header.trim() === "") return offered[0];
  const ranges = header.split(",").slice(0, 64).map(readRange);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) {
      best = type;
      bestQuality = quality;
    }
  }
  return best;
}

function readRange(text: string): Range {
  const [type, ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = q === undefined ? 1 : Number.parseFloat(q.slice(2));
  return { type, q: Number.isNaN(quality) ? 0 : Math.min(1, Math.max(0, quality)) };
}

function qualityOf(offered: string, ranges: readonly Range[]): number {
  const [major] = offered.split("/");
  for (const wanted of [offered, `${major}/*`, "*/*"]) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range !== undefined) return range.q;
  }
  return 0;
}
