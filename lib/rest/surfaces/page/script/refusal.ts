import type { PageElement } from "./dom.ts";
import type { MakeElement } from "./view.ts";

/**
 * Returns what a plain request for the address of a WebSocket is answered: a browser does not tell why a WebSocket is refused.
 *
 * @throws {Error} where a plain request is not refused
 */
export async function askPlainly(address: string, headers: Headers, signal: AbortSignal): Promise<Response> {
  // With a credential of the page's own, a browser that asks its user for another would wait for that.
  const credentials = headers.has("authorization") ? "omit" : "same-origin";
  const response = await fetch(address, { headers, signal, credentials });
  if (!response.ok) return response;
  await response.body?.cancel();
  throw new Error("The WebSocket was refused, and a plain request for its address was not: it tells no reason");
}

/** Returns a note of the headers that a browser does not send with a WebSocket; none where there are none. */
export function noteOfUnsent(headers: Headers, make: MakeElement): PageElement[] {
  const names = [...headers.keys()].filter((name) => !/^(accept|authorization|content-type)$/.test(name));
  return names.length === 0
    ? []
    : [make("p", "note", `A WebSocket of a browser sends no headers: ${names.join(", ")}`)];
}
