import { readFile } from "node:fs/promises";
import { EngineError } from "../../../engine/errors.ts";
import { isRootless } from "../rootless/outer_user.ts";
import type { SpecCapabilities } from "./spec_types.ts";

/** Capabilities in the order of their bits (capabilities(7)). */
const NAMES = [
  ..."CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE".split(" "),
  ..."NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT".split(" "),
  ..."SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE".split(" "),
  ..."AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ".split(" "),
  ..."PERFMON BPF CHECKPOINT_RESTORE".split(" "),
].map((name) => `CAP_${name}`);

/** The names of a set's capabilities; `all` for the full set. */
export function capabilityNames(mask: bigint): string[] | "all" {
  if (mask === (1n << BigInt(NAMES.length)) - 1n) return "all";
  return NAMES.filter((_, bit) => (mask >> BigInt(bit)) & 1n);
}

/** The default capabilities of a container, as containers.conf(5) lists them. */
export const DEFAULT_CAPABILITIES = [
  ..."CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(" "),
].map((name) => `CAP_${name}`);

/** The capabilities asked for. */
export interface CapabilityWish {
  capAdd: readonly string[];
  capDrop: readonly string[];
  privileged: boolean;
  /** The capabilities before `capAdd` and `capDrop`; {@linkcode DEFAULT_CAPABILITIES} where absent. */
  baseCapabilities?: readonly string[];
}

/** Reads the capabilities this process can hand on (its bounding set, as far as it has them itself). */
export async function ownCapabilities(): Promise<ReadonlySet<string>> {
  const status = await readFile("/proc/self/status", "utf8");
  const mask = (name: string) => BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)`, "m").exec(status)?.[1] ?? "0"}`);
  const bits = mask("CapBnd") & mask("CapPrm");
  return new Set(NAMES.filter((_, bit) => (bits >> BigInt(bit)) & 1n));
}

/** Whether a process with these capabilities may raise limits and lower scores: in a user namespace CAP_SYS_RESOURCE does not count. */
export function mayRaiseLimits(own: ReadonlySet<string>): boolean {
  return own.has("CAP_SYS_RESOURCE") && !isRootless();
}

/**
 * The sets of a container's process. Root holds all it may have; another user only what was added by name, which then is
 * ambient too. Capabilities that this process does not have are left out, and `missing` is called with them.
 */
export function containerCapabilities(
  wish: CapabilityWish,
  own: ReadonlySet<string>,
  uid: number,
  missing: (names: string[]) => void,
): SpecCapabilities {
  const bounding = boundingSet(wish, own);
  // "ALL" means all that can be had.
  const lost = wish.capAdd.map(canonicalName).filter((name) => name !== "ALL" && !own.has(name));
  if (lost.length > 0) missing(lost);
  if (uid === 0) return { bounding, effective: bounding, permitted: bounding, inheritable: [], ambient: [] };
  const added = new Set(wish.capAdd.map(canonicalName));
  const named = added.has("ALL") ? bounding : bounding.filter((name) => added.has(name));
  return { bounding, effective: named, permitted: named, inheritable: named, ambient: named };
}

function boundingSet(wish: CapabilityWish, own: ReadonlySet<string>): string[] {
  const added = new Set(wish.capAdd.map(canonicalName));
  const dropped = new Set(wish.capDrop.map(canonicalName));
  const usual = wish.baseCapabilities?.map(canonicalName) ?? DEFAULT_CAPABILITIES;
  const base = wish.privileged || added.has("ALL") ? NAMES : dropped.has("ALL") ? [] : usual;
  const chosen = new Set(base.filter((name) => !dropped.has(name)));
  for (const name of added) if (name !== "ALL") chosen.add(name);
  // In the order in which Podman writes and shows them.
  return NAMES.filter((name) => chosen.has(name) && own.has(name)).sort();
}

/** Accepts `NET_ADMIN`, `cap_net_admin`, `all`. */
function canonicalName(name: string): string {
  const upper = name.toUpperCase();
  if (upper === "ALL" || upper === "CAP_ALL") return "ALL";
  const full = upper.startsWith("CAP_") ? upper : `CAP_${upper}`;
  if (!NAMES.includes(full)) throw new EngineError("invalid", `Set capabilities: unknown capability "${name}"`);
  return full;
}
