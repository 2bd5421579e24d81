import { isLoopback } from "./address.ts";

/**
 * What a TCP listener accepts besides the rule.
 *
 * @example
 * ```ts
 * import type { HostRules } from "./serve.ts";
 * const rules: HostRules = { hosts: ["api.example.com"], origins: ["https://app.example.com"] };
 * ```
 */
export interface HostRules {
  /** Further names that may stand in `Host`, without a port. */
  readonly hosts?: readonly string[];
  /** Further values of `Origin`. */
  readonly origins?: readonly string[];
}

/**
 * Why a request over TCP is refused, or undefined when it is not. A page that a browser shows can send requests to this
 * machine: under a name of its own that it has pointed here (the `Host` then has a dot), or from afar (it has an `Origin`).
 */
export function refusal(
  headers: { get(name: string): string | null },
  localAddress: string | undefined,
  rules: HostRules = {},
): string | undefined {
  const host = headers.get("host");
  if (host !== null && !hostAllowed(host, localAddress, rules.hosts ?? [])) {
    return `Refuse the request: "${host}" is not a name of this server`;
  }
  const origin = headers.get("origin");
  if (origin !== null && !originAllowed(origin, host, rules.origins ?? [])) {
    return `Refuse the request: "${origin}" is a foreign origin`;
  }
  return undefined;
}

function hostAllowed(host: string, localAddress: string | undefined, further: readonly string[]): boolean {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(host);
  if (match === null) return false;
  const name = (match[1] ?? match[2] ?? "").toLowerCase();
  if (isLoopback(name) || further.includes(name)) return true;
  // An address cannot be pointed elsewhere as a name can: the one the client has reached is as good as loopback.
  if (name === localAddress?.toLowerCase().replace(/^::ffff:/, "")) return true;
  return match[1] === undefined && /^[a-z0-9_-]*$/.test(name);
}

function originAllowed(origin: string, host: string | null, further: readonly string[]): boolean {
  if (further.includes(origin)) return true;
  return host !== null && /^https?:\/\//.test(origin) &&
    origin.slice(origin.indexOf("//") + 2).toLowerCase() === host.toLowerCase();
}
