import type { Registry } from "../oci/registry/registries_conf.ts";
import type { SubnetPool } from "./records/network_record.ts";
import type { HostInfo } from "./ports/host_facts.ts";

/** The engine's version; `deno.json` has the same. */
export const VERSION = "0.1.0";

/** The result of {@linkcode Engine.info}. */
export interface SystemInfo {
  name: string;
  version: string;
  /** The platform of images that a request names none for. */
  platform: { os: string; architecture: string; variant?: string };
  /** `undefined` where there is no kernel; `unavailable` then says why. */
  host?: HostInfo;
  unavailable?: string;
  containers: { total: number; running: number; paused: number; stopped: number };
  images: number;
  /** Milliseconds since the epoch. */
  now: number;
  /** The address that clients reach the engine at, and whether it is there; absent where nobody said. */
  socket?: { address: string; exists: boolean };
  /** The name of the network of containers that ask for none. */
  defaultNetwork: string;
  /** The pools from which networks get their subnets. */
  subnetPools: readonly SubnetPool[];
  /** The settings of registries. */
  registries: readonly Registry[];
  /** The registries where names without a registry are looked up. */
  searchRegistries: string[];
}
