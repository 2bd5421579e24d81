import { emptyRegistriesConf, type RegistriesConf } from "../oci/registry/registries_conf.ts";
import { SUBNET_POOLS } from "./networks/choose_place.ts";
import type { ContainerDefaults } from "./records/container_defaults.ts";
import type { SubnetPool } from "./records/network_record.ts";
import { DEFAULT_EVENT_BYTES, DEFAULT_EVENT_MEMORY } from "./store/events.ts";
import type { Ports, TLSOptions } from "./ports/ports.ts";
import type { CredentialSource } from "./ports/credential_source.ts";
import type { Log } from "./ports/log.ts";

/** Bounds on what comes from outside. */
export interface InputLimits {
  /** Bytes of a manifest, an index or an image config. */
  manifestBytes: number;
  /** Layers of one image; the kernel's overlay mounts no more. */
  layers: number;
  /** Bytes of one layer once decompressed. */
  layerBytes: number;
  /** Entries of one layer. */
  layerEntries: number;
  /** Blobs fetched at once by one pull. */
  parallelBlobs: number;
  /** Events kept. */
  events: number;
  /** Bytes of the events kept. */
  eventBytes: number;
  /** Bytes of the newest events, which are in memory besides. */
  eventMemory: number;
  /** Bytes of an object's labels, and of its annotations, as they are stored. */
  labelBytes: number;
  /** Bytes of everything that is stored of a container. */
  recordBytes: number;
  /** Containers that wait for create requests with the label `io.gantry.warm`, of all kinds together; 0: none. */
  warmContainers: number;
}

/** An operating system and a processor, as OCI spells them. */
export interface Platform {
  os: string;
  architecture: string;
  variant?: string;
}

/** Choices of {@linkcode Engine.open}; everything has a default. */
export interface EngineOptions {
  /** Parsed `registries.conf`; by default no mirrors, and short names go to docker.io. */
  registries?: RegistriesConf;
  /** In Docker's API short names are Docker Hub's (the default); `false`: they are what they are in the native one. */
  dockerHub?: boolean;
  /** The platform to pull where a request names none; the host's own by default. */
  defaultPlatform?: Platform;
  /** The engine's name in `info`; `gantry` by default. */
  name?: string;
  limits?: Partial<InputLimits>;
  /** The containers' settings where a request leaves them out. */
  defaults?: ContainerDefaults;
  /** The pools from which networks get their subnets; by default from 10.87.0.0/16 down, 24 leading bits each. */
  subnetPools?: readonly SubnetPool[];
  /** Variables by which programs find their proxy (`http_proxy`, …), for containers that do not refuse them. */
  proxyEnv?: Record<string, string>;
  /** Certificates for a registry (`docker.io`, `localhost:5000`). */
  tls?: (registry: string) => TLSOptions | undefined | Promise<TLSOptions | undefined>;
  /** Credentials for callers that bring none of their own. */
  credentials?: CredentialSource;
  log?: Log;
}

/** {@linkcode EngineOptions} with nothing left open. */
export interface ResolvedOptions {
  registries: RegistriesConf;
  dockerHub: boolean;
  defaultPlatform: Platform;
  name: string;
  limits: InputLimits;
  defaults: ContainerDefaults;
  subnetPools: readonly SubnetPool[];
  proxyEnv: Record<string, string>;
  tls?: EngineOptions["tls"];
  credentials?: CredentialSource;
}

/** The bounds where nothing else is asked for. */
export const DEFAULT_LIMITS: InputLimits = {
  manifestBytes: 4 << 20,
  layers: 127,
  layerBytes: 64 * 2 ** 30,
  layerEntries: 4_000_000,
  parallelBlobs: 4,
  events: 8192,
  eventBytes: DEFAULT_EVENT_BYTES,
  eventMemory: DEFAULT_EVENT_MEMORY,
  labelBytes: 512 * 1024,
  recordBytes: 2 << 20,
  warmContainers: 32,
};

/** Fills in what the caller left open, from the host where there is one. */
export function resolveOptions(ports: Ports, options: EngineOptions): ResolvedOptions {
  return {
    registries: options.registries ?? { ...emptyRegistriesConf(), unqualifiedSearch: ["docker.io"] },
    dockerHub: options.dockerHub ?? true,
    defaultPlatform: options.defaultPlatform ?? hostPlatform(ports),
    name: options.name ?? "gantry",
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    defaults: options.defaults ?? {},
    subnetPools: options.subnetPools ?? SUBNET_POOLS,
    proxyEnv: options.proxyEnv ?? {},
    tls: options.tls,
    credentials: options.credentials,
  };
}

function hostPlatform({ host }: Ports): Platform {
  if ("unavailable" in host) return { os: "linux", architecture: "amd64" };
  const { os, arch } = host.platform;
  return { os, architecture: arch };
}
