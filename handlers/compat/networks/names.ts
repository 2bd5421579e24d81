import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import { RequestError } from "../../request_error.ts";
import type { NetworkSummary } from "../../wire/compat/network_resource.ts";
import { emit } from "../../wire/emit.ts";
import { NetworkInspect } from "../../wire/compat/network_resource.ts";

/** Docker's names of the default network. */
const DEFAULT_NAMES: readonly string[] = ["bridge", "default"];
/** The name under which the default network is listed. */
export const BRIDGE = "bridge";

/** Networks that Docker's clients find on every machine, but that are modes of a container here: their names and drivers. */
const MODES: Readonly<Record<string, string>> = { host: "host", none: "null" };

/** Docker's name of a network, by the engine's. */
export function dockerNetworkName(name: string): string {
  return name === DEFAULT_NETWORK ? BRIDGE : name;
}

/** Values by the names of their networks, by Docker's names. A path without a version is answered as Podman answers it: by its own. */
export function byDockerNames<T>(
  networks: Readonly<Record<string, T>>,
  version: string | undefined,
): Record<string, T> {
  if (version === undefined) return networks;
  return Object.fromEntries(Object.entries(networks).map(([name, value]) => [dockerNetworkName(name), value]));
}

/** The engine's name of a network, by Docker's. */
export function engineName(name: string): string {
  return DEFAULT_NAMES.includes(name) ? DEFAULT_NETWORK : name;
}

/** The inspection of a network that is a mode; `undefined` for the name of another one. */
export function inspectMode(name: string): NetworkInspect | undefined {
  if (!Object.hasOwn(MODES, name)) return undefined;
  // No client takes it for an ID of ours: those are random.
  const id = name.split("").map((letter) => letter.charCodeAt(0).toString(16)).join("").padEnd(64, "0");
  const fixed = { Name: name, Id: id, Scope: "local", Driver: MODES[name], EnableIPv4: true };
  return emit(NetworkInspect, { ...fixed, IPAM: { Driver: "default" }, Options: {}, Labels: {} });
}

/** The networks that are modes, as they are listed; only without filters, which are the engine's. */
export function listModes(): NetworkSummary[] {
  return Object.keys(MODES).flatMap((name) => {
    const { Containers: _none, Status: __none, ...summary } = inspectMode(name)!;
    return [summary];
  });
}

const KINDS = ["builtin", "custom"];
const SCOPES = ["local", "global", "swarm"];

/** The test of a filter `type`. Throws a 400 for a kind there is not. */
export function kindFilter(wanted: readonly string[]): (network: Pick<NetworkSummary, "Name">) => boolean {
  requireKnown("type", wanted, KINDS);
  const isBuiltin = (name: string) => name === BRIDGE || Object.hasOwn(MODES, name);
  return ({ Name }) => wanted.length === 0 || wanted.includes(isBuiltin(Name) ? "builtin" : "custom");
}

/** The test of a filter `scope`. Throws a 400 for a scope there is not. */
export function scopeFilter(wanted: readonly string[]): (network: Pick<NetworkSummary, "Scope">) => boolean {
  requireKnown("scope", wanted, SCOPES);
  return ({ Scope }) => wanted.length === 0 || wanted.includes(Scope);
}

function requireKnown(filter: string, values: readonly string[], known: readonly string[]): void {
  const wrong = values.find((value) => !known.includes(value));
  if (wrong !== undefined) throw new RequestError("malformed", `invalid filter '${filter}=${wrong}'`);
}

/**
 * Throws for a network that is there on every machine, as Docker does: the default one by each of its names. Containers may join and leave that one.
 */
export function requireOrdinary(name: string, what: "made" | "removed" | "connected to" | "disconnected from"): void {
  const isOwnNetwork = what === "made" || what === "removed";
  if (Object.hasOwn(MODES, name) || (isOwnNetwork && engineName(name) === DEFAULT_NETWORK)) {
    throw new RequestError("forbidden", `${name} is a pre-defined network and cannot be ${what}`);
  }
}
