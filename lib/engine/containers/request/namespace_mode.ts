/** Namespaces in the words that clients and containers.conf(5) have for them. */
import type { ContainerSpec, NamespaceMode } from "../../records/container_record.ts";
import { isUserNetwork } from "../../records/user_network.ts";
import { invalidField, unsupportedField } from "../failures.ts";
import { userNetworkOptions } from "./user_network_options.ts";

/** The kinds of namespaces besides the one of users. */
export type NamespaceKind = Exclude<keyof ContainerSpec["namespaces"], "user">;

/** A namespace in words. */
export interface NamespaceWords {
  /** `private`, `host`, `container`, `path`, …; empty or `default`: left open. */
  mode: string;
  /** The container or the path; of `pasta` and `slirp4netns` their options, with commas between. */
  value: string;
  /** The options themselves, where the client sends them beside the mode. */
  options?: readonly string[];
}

/** Which words each kind takes, and the engine's for each. */
type Modes = Record<string, NamespaceMode["mode"]>;

const COMMON: Modes = { private: "private", host: "host", container: "container", path: "path" };
const MODES: Record<NamespaceKind, Modes> = {
  network: {
    ...COMMON,
    private: "bridge",
    bridge: "bridge",
    none: "none",
    pasta: "pasta",
    slirp4netns: "slirp4netns",
  },
  pid: COMMON,
  ipc: { ...COMMON, shareable: "shareable", none: "none" },
  uts: COMMON,
  cgroup: COMMON,
};

/** Reads a namespace as the command line has it: `host`, `container:ID`, `ns:PATH`, … */
export function parseNamespace(text: string): NamespaceWords {
  const [mode, value = ""] = text.split(/:(.*)/s);
  return { mode: mode === "ns" ? "path" : mode, value };
}

/** Whether the words leave the choice to others. */
export function isOpen({ mode }: NamespaceWords): boolean {
  return mode === "" || mode === "default";
}

/**
 * Returns the engine's mode for a namespace; `undefined` where the choice is left open.
 *
 * Throws `unsupported` for an unknown word, and `invalid` where a container or a path is missing.
 */
export function namespaceMode(kind: NamespaceKind, words: NamespaceWords): NamespaceMode | undefined {
  if (isOpen(words)) return undefined;
  const modes = MODES[kind];
  if (!Object.hasOwn(modes, words.mode)) throw unsupportedField(`namespaces.${kind}`, `mode "${words.mode}"`);
  const mode = modes[words.mode];
  if (isUserNetwork(mode)) {
    const options = userNetworkOptions(mode, words.options ?? words.value.split(","));
    return { mode, ...options.length > 0 && { options } };
  }
  return mode === "container" || mode === "path" ? modeOf(kind, mode, words.value) : { mode };
}

/** A mode that needs a value. Throws `invalid` where that is empty. */
export function modeOf(
  kind: keyof ContainerSpec["namespaces"],
  mode: "container" | "path",
  value: string,
): NamespaceMode {
  if (value !== "") return { mode, value };
  throw invalidField(`namespaces.${kind}`, (name) => `Create container: "${name}" mode "${mode}" needs a value`);
}

/** The network of a container that asks for none. */
export interface NetworkChoice {
  mode?: NamespaceMode;
  /** The names of networks to join. */
  networks: string[];
}

/** Reads the owner's choice of network: a mode, or the names of networks with commas between them. */
export function parseNetwork(text: string): NetworkChoice {
  const words = parseNamespace(text);
  if (isOpen(words) || Object.hasOwn(MODES.network, words.mode)) {
    return { mode: namespaceMode("network", words), networks: [] };
  }
  return { mode: { mode: "bridge" }, networks: text.split(",") };
}
