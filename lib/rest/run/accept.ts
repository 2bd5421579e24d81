/**
 * Picks the type a client likes best (RFC 9110, 12.5.1).
 *
 * @param header The Accept header; none, or an empty one, accepts everything
 * @param offered What can be written, the most wanted first
 * @returns One of `offered`, or undefined when the client accepts none
 */
export function negotiate(header: string | null, offered: readonly string[]): string | undefined {
  if (!header?.trim() || header === "*/*") return offered[0];
  const wanted = new Map<string, number>();
  for (const range of header.toLowerCase().split(",", 64)) {
    const [type] = range.split(";");
    // A `q` that is not a number counts as 0: not accepted.
    const q = Number.parseFloat(/;\s*q=([^;]*)/.exec(range)?.[1] ?? "1") || 0;
    if (!wanted.has(type.trim())) wanted.set(type.trim(), Math.min(q, 1));
  }
  const liked = offered.map((type) =>
    wanted.get(type) ?? wanted.get(type.replace(/\/.*/, "/*")) ?? wanted.get("*/*") ?? 0
  );
  const most = Math.max(...liked);
  return most > 0 ? offered[liked.indexOf(most)] : undefined;
}
