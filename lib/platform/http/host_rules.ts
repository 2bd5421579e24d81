import { isLoopback } from "./address.ts";

/**
 * Hosts and origins that a TCP listener accepts besides the rule.
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
  /**
   * Names that programs send in `Host` although nobody calls a machine so, in lower case. A page that has come by such a name is refused all
   * the same: a name without a dot may be pointed anywhere.
   */
  readonly clientHosts?: readonly string[];
}

/**
 * Returns why a request over TCP is refused, or undefined when it is not. A page that a browser shows can send requests to
 * this machine, and reads the answers of what it takes for its own site: it may have pointed a name of its own here (DNS
 * rebinding), and a name without a dot is as easily pointed as any other where a network gives out its search domain. So a
 * `Host` has to be known, and a page's `Origin` has to be the very server, by a name that cannot be pointed elsewhere.
 */
export function hostRefusal(
  headers: { get(name: string): string | null },
  localAddress: string | undefined,
  rules: HostRules = {},
): string | undefined {
  const host = headers.get("host");
  const name = host === null ? undefined : nameOf(host);
  const isOwn = name !== undefined && isOwnName(name, localAddress, rules.hosts ?? []);
  if (host !== null && !isOwn && !(name === "" || rules.clientHosts?.includes(name ?? "?"))) {
    return `Refuse the request: "${host}" is not a name of this server`;
  }
  const origin = headers.get("origin");
  const isGranted = origin !== null && (rules.origins?.includes(origin) ?? false);
  if (origin !== null && !isGranted && !(isOwn && host !== null && isSame(origin, host))) {
    return `Refuse the request: "${origin}" is a foreign origin`;
  }
  // Requests without an Origin are told apart by this one: images, scripts, forms with GET, links (Fetch Metadata).
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none" && !isGranted) {
    return `Refuse the request: it comes from another site ("Sec-Fetch-Site: ${site}")`;
  }
  return undefined;
}

/** The name or address in a `Host` header, in lower case; undefined where there is none. */
function nameOf(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(host);
  return match === null ? undefined : (match[1] ?? match[2]).toLowerCase();
}

/** Whether a name is this server's, and can be nobody else's. */
function isOwnName(name: string, localAddress: string | undefined, further: readonly string[]): boolean {
  if (isLoopback(name) || further.some((known) => known.toLowerCase() === name)) return true;
  // An address cannot be pointed elsewhere as a name can: the one the client has reached is as good as loopback.
  return name !== "" && name === localAddress?.toLowerCase().replace(/^::ffff:/, "");
}

function isSame(origin: string, host: string): boolean {
  return /^https?:\/\//.test(origin) && origin.slice(origin.indexOf("//") + 2).toLowerCase() === host.toLowerCase();
}
