/** Mistakes in what a handler is made of that callers without types make. */

/**
 * Throws where implementations are something else, such as bare definitions.
 *
 * @throws {TypeError}
 */
export function requireImplementations(all: unknown): void {
  const isOne = (value: unknown) => typeof value === "object" && value !== null && "definition" in value;
  if (Array.isArray(all) ? all.every(isOne) : isOne(all)) return;
  throw new TypeError("Serve the API: pass what implement() or link() made of it, or a list of these");
}

/**
 * Throws for a prefix that no path begins with, as it would be taken for a host and the operations served without it, and for middleware that is
 * no stack.
 *
 * @throws {TypeError}
 */
export function requireOptions({ prefix, use }: { readonly prefix?: string; readonly use?: unknown }): void {
  if (prefix && !prefix.startsWith("/") && !prefix.includes("://")) {
    throw new TypeError(`Serve the API: the prefix "${prefix}" does not begin with a slash`);
  }
  if (use !== undefined && typeof (use as { around?: unknown } | null)?.around !== "function") {
    throw new TypeError("Serve the API: the option use takes middlewareStack().use(…)");
  }
}
