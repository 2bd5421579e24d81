/**
 * Picks the type a client likes best (RFC 9110, 12.5.1).
 *
 * @param header The Accept header; none, or an empty one, accepts everything
 * @param offered What can be written, the most wanted first
 * @returns One of `offered`, or undefined when the client accepts none
 */
export function negotiate(header: string | null, offered: readonly string[]): string | undefined {
  if (!header?.trim() || header === "*/*") return offered[0];
  const ranges = header.toLowerCase().split(",", 64).map((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    // What is not a number is not accepted.
    return { type, q: q === undefined ? 1 : Number.parseFloat(q.slice(2)) || 0 };
  });
  let best: string | undefined;
  let most = 0;
  for (const type of offered) {
    const wanted = [type, type.replace(/\/.*/, "/*"), "*/*"];
    const range = wanted.map((one) => ranges.find((range) => range.type === one)).find(Boolean);
    if (range && Math.min(range.q, 1) > most) {
      best = type;
      most = Math.min(range.q, 1);
    }
  }
  return best;
}
