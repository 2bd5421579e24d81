/**
 * The addresses to which an answer of a registry may lead, and those to which a credential may go. A registry is foreign: it, or
 * a machine between, chooses redirects, upload addresses and token servers.
 *
 * @module
 */
import { isBlockedPort } from "./blocked_ports.ts";
import type { Credential } from "./registry_session.ts";

/** Why an address is not followed; the caller names what led there. */
export type Refusal =
  | "an unsupported address"
  | "plain HTTP"
  | "an address of this machine or its cloud"
  | "a port of mail or the like on another host";

/**
 * The hosts whose certificates are not checked, and to whom redirects from HTTPS down to plain HTTP are followed: none, every one that a
 * registry leads to, or this machine alone.
 */
export type Laxness = boolean | "loopback";

/** Whether that holds for an address. */
export function isLaxFor(laxness: Laxness, { hostname }: URL): boolean {
  return laxness === "loopback" ? isLoopback(hostname) : laxness;
}

/**
 * Reads an address that an answer of `from` leads to. HTTPS leads to no plain HTTP, unless `insecure`; and no registry elsewhere leads to
 * the loopback of this machine, or to the link-local addresses where clouds keep their machines' credentials. A port that `fetch()` refuses is
 * for a registry that somebody has named: none leads to such a port of another host. Names are judged as they are written: nothing is resolved.
 *
 * @returns The address without user and password, or why it is not followed
 */
export function readTarget(location: string, from: URL, insecure: Laxness): URL | Refusal {
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (next === undefined || (next.protocol !== "http:" && next.protocol !== "https:")) return "an unsupported address";
  if (isInternal(next.hostname) && !isInternal(from.hostname)) return "an address of this machine or its cloud";
  if (from.protocol === "https:" && next.protocol === "http:" && !isLaxFor(insecure, next)) return "plain HTTP";
  if (next.hostname !== from.hostname && isBlockedPort(next.href)) return "a port of mail or the like on another host";
  next.username = next.password = "";
  return next;
}

/** Whether there is anything in a credential. */
export function isEmpty({ username, identityToken, registryToken }: Credential): boolean {
  return username === undefined && identityToken === undefined && registryToken === undefined;
}

/** The facts that decide where a credential may go. */
export interface Trust {
  /** The registry's root. */
  base: URL;
  /** Certificates are not checked, not even that of the registry. */
  insecure: Laxness;
  /** Whether registries.conf calls a host insecure, by its own name. */
  isListed(host: string): boolean;
}

/** Whether nobody between can read what goes there, or registries.conf says that this is no matter. */
export function isPrivate(url: URL, isListed: Trust["isListed"]): boolean {
  return url.protocol === "https:" || isLoopback(url.hostname) || isListed(url.host);
}

/**
 * Whether a credential may go to the token server that a registry's challenge names. The same host is as good as the registry. Another
 * one is as good as the channel on which it was named: certified HTTPS, or this machine itself.
 */
export function isTrustedRealm(realm: URL, { base, insecure, isListed }: Trust): boolean {
  if (!isPrivate(realm, isListed)) return false;
  const isCertified = base.protocol === "https:" && !insecure;
  return isCertified || realm.hostname === base.hostname || isLoopback(base.hostname) || isListed(realm.host);
}

/**
 * Whether a host, as `URL.hostname` has it, is this machine: a loopback address, or `localhost`. Other names count for nothing, wherever they
 * lead: name servers say so, and may say something else the next time. Names below `localhost` are asked of name servers by some systems.
 */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "");
  return host === "localhost" || host === "[::1]" || firstBytes(host)?.[0] === 127;
}

/** Whether a registry, as references name it (`localhost:5000`), is on this machine, as {@linkcode isLoopback} has it. */
export function isLoopbackRegistry(domain: string): boolean {
  return URL.canParse(`http://${domain}`) && isLoopback(new URL(`http://${domain}`).hostname);
}

/** Whether a host is this machine, or an address that only its own link knows. */
function isInternal(hostname: string): boolean {
  if (
    isLoopback(hostname) || /\.localhost\.?$/.test(hostname) || hostname === "[::]" ||
    /^\[fe[89ab][0-9a-f]:/.test(hostname)
  ) return true;
  const [first, second] = firstBytes(hostname) ?? [];
  return first === 0 || (first === 169 && second === 254);
}

/** The first two bytes of an IPv4 address, which may stand at the end of an IPv6 one; URLs have brought all its spellings into one. */
function firstBytes(hostname: string): [number, number] | undefined {
  const plain = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(hostname);
  if (plain !== null) return [Number(plain[1]), Number(plain[2])];
  const [, group] = /^\[(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):[0-9a-f]{1,4}\]$/.exec(hostname) ?? [];
  if (group === undefined) return undefined;
  const high = parseInt(group, 16);
  return [high >> 8, high & 255];
}
