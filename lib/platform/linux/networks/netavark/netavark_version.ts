/**
 * The options that a version of netavark does not know: it passes them over, and a network without its VLAN is another network.
 *
 * @module
 */
import { EngineError } from "../../../../engine/errors.ts";
import { NETWORK_DRIVERS, type NetworkDriver, type NetworkRecord } from "../../../../engine/records/network_record.ts";
import { runCommand } from "../../helpers/command.ts";
import { isOlder } from "../../helpers/version_order.ts";

/** The settings of a network that depend on the version. */
export type VersionedNetwork = Pick<NetworkRecord, "driver" | "options" | "addressSource">;

/** From netavark's release notes: what needs which version at least. */
const NEEDS: readonly [version: string, what: string, applies: (network: VersionedNetwork) => boolean][] = [
  ["1.5", "driver ipvlan", ({ driver }) => driver === "ipvlan"],
  ["1.6", "ipam driver dhcp", ({ addressSource }) => addressSource === "dhcp"],
  ["1.7", "isolate=strict", ({ options }) => options.isolate === "strict"],
  ["1.7", "bclim", ({ options }) => options.bclim !== undefined],
  ["1.8", "vrf", ({ options }) => options.vrf !== undefined],
  ["1.14", "vlan", ({ options }) => (options.vlan ?? "0") !== "0"],
  ["1.14", "mode=unmanaged", ({ options }) => options.mode === "unmanaged"],
];

/**
 * Throws `unsupported`, naming the setting, for a network that netavark would make without it.
 *
 * @param askVersion Asked for a setting that not every version knows only: the program takes ten milliseconds
 */
export async function requireKnown(network: VersionedNetwork, askVersion: () => Promise<string>): Promise<void> {
  const needed = NEEDS.filter(([, , applies]) => applies(network));
  if (needed.length === 0) return;
  const version = await askVersion();
  const missing = needed.find(([least]) => isOlder(version, least));
  if (missing === undefined) return;
  const [least, what] = missing;
  throw new EngineError("unsupported", `Create network: ${what} needs netavark ${least}, this host has ${version}`);
}

/** The drivers of networks that netavark of a version knows. */
export function knownDrivers(version: string): readonly NetworkDriver[] {
  return NETWORK_DRIVERS.filter((driver) =>
    !NEEDS.some(([least, , applies]) => applies({ driver, options: {} }) && isOlder(version, least))
  );
}

/** Reads the version of a program, `1.4.0`. */
export async function readVersion(program: string): Promise<string> {
  const { stdout } = await runCommand(program, ["--version"]);
  return /\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? "0";
}
