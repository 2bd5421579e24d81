/**
 * A container's record as the OCI runtime's `config.json`.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { DeviceRule, Limits } from "../../../engine/records/limits.ts";
import { containerCapabilities, mayRaiseLimits } from "./capabilities.ts";
import { containerAppArmor, containerSeccomp, hiddenPaths } from "./confinement.ts";
import { findDevices, privilegedDevices } from "./devices.ts";
import { isRootless } from "../rootless/outer_user.ts";
import { bindMount } from "./mounts/bind_mounts.ts";
import { firstProcess } from "../../../engine/records/spec_parts.ts";
import { containerNamespaces } from "./namespaces.ts";
import { withoutUnlimited } from "../resources/unlimited.ts";
import { containerLimits } from "./rlimits.ts";
import type { SeccompProfile } from "./seccomp.ts";
import type { SeccompFilters } from "./seccomp_filters.ts";
import type { RuntimeSpec, SpecDevice, SpecMount } from "./spec_types.ts";
import type { ResolvedUser } from "./user_lookup.ts";
import { DEFAULT_UMASK, parseUmask } from "../../../engine/text/umask.ts";

/** The sources of a specification besides the record. */
export interface SpecSources {
  rootfs: string;
  netns?: string;
  userns?: string;
  user: ResolvedUser;
  mounts: SpecMount[];
  cgroupsPath: string;
  /** The container gets no control groups of its own. */
  withoutCgroups?: boolean;
  /** The administrator's own profile, where there is one. */
  seccomp?: SeccompProfile;
  /** The profiles of AppArmor that are loaded. */
  appArmor: readonly string[];
  filters: SeccompFilters;
  /** The capabilities and limits that this process may hand on. */
  capabilities: ReadonlySet<string>;
  limits: ReadonlyMap<string, bigint>;
  /** The pid of another container's process, whose namespaces are joined. */
  pidOf: (containerID: string) => Promise<number>;
  warn: (message: string) => void;
}

/** Builds the specification. Throws `EngineError("invalid" | "unsupported")` for what cannot be had. */
export async function buildSpec(record: ContainerRecord, sources: SpecSources): Promise<RuntimeSpec> {
  const { spec } = record;
  const { user, warn } = sources;
  const capabilities = containerCapabilities(
    spec,
    sources.capabilities,
    user.uid,
    (names) => warn(`Add capabilities: this process does not have ${names.join(", ")}`),
  );
  const namespaces = await containerNamespaces(record, sources);
  const hasOwnUTS = namespaces.some(({ type, path }) => type === "uts" && path === undefined);
  const seccomp = await containerSeccomp(spec, capabilities.bounding, sources.seccomp);
  const appArmor = containerAppArmor(spec, sources.appArmor);
  const args = record.process.args;
  const granted = await findDevices(spec.devices ?? []);
  // An ordinary user makes no devices: the host's own take their places.
  const bound = isRootless() ? granted : [];
  const made = bound.length > 0 ? [] : granted.map(({ device }) => device);
  const devices = [...spec.privileged ? await privilegedDevices(record) : [], ...made];
  const oomScoreAdj = await clampedScore(spec.oomScoreAdj, sources);
  return {
    ociVersion: "1.0.2",
    process: {
      terminal: record.process.terminal,
      ...record.process.terminal && { consoleSize: spec.terminalSize },
      user: {
        uid: user.uid,
        gid: user.gid,
        additionalGids: user.additionalGids,
        umask: umaskOf(spec),
      },
      args: firstProcess(spec, args),
      env: withHome([...record.process.env, ...systemdEnv(record)], user.home),
      cwd: record.process.workdir,
      capabilities,
      rlimits: containerLimits(spec.rlimits, sources.limits, warn),
      noNewPrivileges: spec.noNewPrivileges,
      ...appArmor !== undefined && { apparmorProfile: appArmor },
      ...oomScoreAdj !== undefined && { oomScoreAdj },
    },
    root: { path: sources.rootfs, readonly: spec.readOnly },
    ...hasOwnUTS && { hostname: record.hostname },
    mounts: [
      ...sources.mounts,
      ...bound.map(({ device, source }) => bindMount(device.path, { source, kind: "device" })),
    ],
    annotations: sources.filters.annotate(seccomp, spec.annotations),
    linux: {
      namespaces,
      resources: sources.withoutCgroups ? {} : containerResources(record, granted.map(({ rule }) => rule)),
      // runc passes over groups that it may not make only where it is told of none.
      ...sources.withoutCgroups !== true && { cgroupsPath: sources.cgroupsPath },
      sysctl: { ...defaultSysctls(record), ...spec.sysctl },
      ...devices.length > 0 && { devices: lastOf(devices) },
      ...seccomp !== undefined && { seccomp },
      ...hiddenPaths(spec),
      ...spec.personality !== undefined && { personality: spec.personality },
      rootfsPropagation: spec.rootPropagation ?? rootPropagation(sources.mounts),
    },
  };
}

/** The text of `config.json`, or a part of it, in which limits are whole numbers of up to 64 bits. */
export function specText(spec: RuntimeSpec | RuntimeSpec["process"]): string {
  const numbers = new Map<string, string>();
  // Nobody can put it into an argument or an annotation beforehand.
  const secret = randomUUID();
  const text = JSON.stringify(spec, (_, value) => {
    if (typeof value !== "bigint") return value;
    const mark = `bigint:${value}:${secret}:${numbers.size}`;
    numbers.set(`"${mark}"`, value.toString());
    return mark;
  });
  return numbers.size === 0
    ? text
    : text.replaceAll(/"bigint:\d+:[0-9a-f-]+:\d+"/g, (mark) => numbers.get(mark) ?? mark);
}

function containerResources({ spec }: ContainerRecord, granted: readonly DeviceRule[]): Limits {
  // Without a cgroup there is nothing to limit.
  if (spec.cgroupsMode === "disabled") return {};
  const first = { allow: spec.privileged, access: "rwm" };
  // Either version: a new cgroup has no limits that would have to be lifted.
  const { devices = [], ...limits } = withoutUnlimited(spec.resources, "v1").limits;
  const rules = [first, ...devices, ...granted, ...spec.deviceRules ?? []];
  return { ...limits, devices: rules };
}

/** A path in a container is one device: the one that was named last. */
function lastOf(devices: readonly SpecDevice[]): SpecDevice[] {
  return [...new Map(devices.map((device) => [device.path, device])).values()];
}

/**
 * In a network namespace that is the container's own, root may ping without CAP_NET_RAW, which it does not have. In Docker's containers
 * every user may, and may listen on any port.
 */
function defaultSysctls({ spec, idMaps }: ContainerRecord): Record<string, string> {
  const { mode } = spec.namespaces.network;
  if (mode !== "bridge" && mode !== "private" && mode !== "none") return {};
  if (spec.defaults !== "docker") return { "net.ipv4.ping_group_range": "0 0" };
  // The kernel takes no group that the namespace of users does not have.
  const groups = idMaps === undefined && !isRootless() ? "0 2147483647" : "0 0";
  return { "net.ipv4.ping_group_range": groups, "net.ipv4.ip_unprivileged_port_start": "0" };
}

/** Mounts that are to be seen from one side on the other need a root that lets them. */
function rootPropagation(mounts: readonly SpecMount[]): string {
  const options = mounts.flatMap((mount) => mount.options ?? []);
  if (options.includes("shared") || options.includes("rshared")) return "shared";
  return options.includes("slave") || options.includes("rslave") ? "rslave" : "private";
}

/** systemd takes it for the machine's ID. */
function systemdEnv({ id, systemd, process }: ContainerRecord): string[] {
  const isSet = process.env.some((entry) => entry.startsWith("container_uuid="));
  return systemd && !isSet ? [`container_uuid=${id.slice(0, 32)}`] : [];
}

/** Adds `HOME` where it is not set. */
export function withHome(env: readonly string[], home: string): string[] {
  return env.some((entry) => entry.startsWith("HOME=")) ? [...env] : [...env, `HOME=${home}`];
}

function umaskOf({ umask = DEFAULT_UMASK }: ContainerRecord["spec"]): number {
  const mask = parseUmask(umask);
  if (mask === undefined) throw new EngineError("invalid", `Set umask: "${umask}" is not an octal number`);
  return mask;
}

/** Without CAP_SYS_RESOURCE the score of a process may only rise. */
async function clampedScore(wanted: number | undefined, sources: SpecSources): Promise<number | undefined> {
  if (wanted === undefined || mayRaiseLimits(sources.capabilities)) return wanted;
  const own = Number(await readFile("/proc/self/oom_score_adj", "utf8").catch(() => "0"));
  if (wanted >= own) return wanted;
  sources.warn(`Set oom score: ${wanted} is less than this host allows, using ${own}`);
  return own;
}
