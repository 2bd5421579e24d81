/**
 * Podman's annotations: what of a container has no field in Kubernetes.
 *
 * Source: `libpod/define/annotations.go` and `pkg/specgen/generate/kube` of Podman.
 *
 * @module
 */
import type { MemberRequest } from "../../containers/request/container_request.ts";
import { EngineError } from "../../errors.ts";
import type { RLimit } from "../../records/container_record.ts";
import { parseBoolean } from "../../text/list_filters.ts";

const PREFIX = "io.podman.annotations.";

/** The names of Podman's annotations. */
export const ANNOTATIONS = {
  infraName: `${PREFIX}infra.name`,
  users: `${PREFIX}userns`,
  rlimits: `${PREFIX}ulimit`,
  initType: `${PREFIX}init.container.type`,
  volumesFrom: `${PREFIX}volumes-from`,
  imageVolumes: `${PREFIX}kube.image.volumes.mount`,
  pids: `${PREFIX}pids-limit`,
  cpus: `${PREFIX}cpuset`,
  memoryNodes: `${PREFIX}memory-nodes`,
  remove: `${PREFIX}autoremove`,
  init: `${PREFIX}init`,
  label: `${PREFIX}label`,
  seccomp: `${PREFIX}seccomp`,
  apparmor: `${PREFIX}apparmor`,
} as const;

/** The annotations of Kubernetes that were there before the fields of the security context. */
const OLD_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const OLD_CONTAINER_SECCOMP = "container.seccomp.security.alpha.kubernetes.io";
const OLD_APPARMOR = "container.apparmor.security.beta.kubernetes.io";

/** The labels that tell the engine to update a container by itself. */
const UPDATE_LABELS = ["io.containers.autoupdate", "io.containers.autoupdate.authfile"] as const;

type Annotations = Readonly<Record<string, string>>;

/** Throws `invalid` for annotations that Podman refuses. */
export function checkAnnotations(annotations: Annotations): void {
  if (Object.hasOwn(annotations, ANNOTATIONS.volumesFrom)) {
    throw new EngineError(
      "invalid",
      `annotation ${ANNOTATIONS.volumesFrom} without target volume is reserved for internal use`,
    );
  }
}

/** Returns the fields of a container's request that its pod's annotations decide. Throws `invalid` for a value that makes no sense. */
export function annotatedFields(annotations: Annotations, container: string): MemberRequest {
  const own = (name: string): string | undefined => readOne(annotations, `${name}/${container}`);
  const flag = (name: string) => {
    const text = own(name);
    const value = text === undefined ? undefined : parseBoolean(text);
    if (text !== undefined && value === undefined) throw wrongValue(`${name}/${container}`, text, "true or false");
    return value;
  };
  const pids = own(ANNOTATIONS.pids);
  if (pids !== undefined && !/^-?\d{1,10}$/.test(pids)) {
    throw wrongValue(ANNOTATIONS.pids, pids, "a number of processes");
  }
  const cpus = own(ANNOTATIONS.cpus);
  const mems = own(ANNOTATIONS.memoryNodes);
  const label = own(ANNOTATIONS.label);
  const seccomp = own(ANNOTATIONS.seccomp) ?? oldSeccomp(annotations, container);
  const apparmor = own(ANNOTATIONS.apparmor) ?? readOne(annotations, `${OLD_APPARMOR}/${container}`);
  return {
    remove: flag(ANNOTATIONS.remove),
    init: flag(ANNOTATIONS.init),
    ...seccomp !== undefined && { seccomp },
    ...apparmor !== undefined && apparmor !== "runtime/default" && { apparmor: apparmor.replace(/^localhost\//, "") },
    ...label !== undefined && (label === "nested" ? { labelNested: true } : { selinux: [label] }),
    rlimits: parseLimits(readOne(annotations, ANNOTATIONS.rlimits)),
    resources: {
      ...pids !== undefined && { pids: { limit: Number(pids) } },
      ...(cpus ?? mems) !== undefined && { cpu: { ...cpus && { cpus }, ...mems && { mems } } },
    },
  };
}

/** Returns the labels of a container that its pod's annotations decide. */
export function annotatedLabels(annotations: Annotations, container: string): Record<string, string> {
  return Object.fromEntries(UPDATE_LABELS.flatMap((name) => {
    const value = readOne(annotations, `${name}/${container}`) ?? readOne(annotations, name);
    return value === undefined || value === "" ? [] : [[name, value]];
  }));
}

/**
 * Returns the containers whose mounts a container gets: `name[:options]`, by their names in the engine. Throws `invalid` as Podman does.
 *
 * @param known The containers of the pod that are made before this one
 */
export function annotatedVolumesFrom(
  annotations: Annotations,
  container: string,
  pod: string,
  known: readonly string[],
): string[] | undefined {
  const name = `${ANNOTATIONS.volumesFrom}/${container}`;
  const text = readOne(annotations, name);
  if (!text) return undefined;
  return text.split(";").map((entry) => {
    const [from, options, ...more] = entry.split(":");
    if (more.length > 0) throw new EngineError("invalid", `invalid annotation ${name} value`);
    if (from === "") {
      throw new EngineError("invalid", `from container name cannot be empty in annotation ${name}`);
    }
    if (from === container) {
      throw new EngineError("invalid", `to and from container names cannot be same in annotation ${name}`);
    }
    return (known.includes(from) ? `${pod}-${from}` : from) + (options === undefined ? "" : `:${options}`);
  });
}

function oldSeccomp(annotations: Annotations, container: string): string | undefined {
  const text = readOne(annotations, `${OLD_CONTAINER_SECCOMP}/${container}`) ?? readOne(annotations, OLD_SECCOMP);
  if (text === undefined || text === "runtime/default" || text === "docker/default") return undefined;
  return text === "unconfined" ? text : seccompPath(text.replace(/^localhost\//, ""));
}

/** The place of profiles that a document names without one: the kubelet's. */
export function seccompPath(profile: string): string {
  if (profile.startsWith("/")) return profile;
  if (profile.split("/").includes("..")) {
    throw new EngineError("invalid", `seccomp profile "${profile}" has ".." in it`);
  }
  return `/var/lib/kubelet/seccomp/${profile}`;
}

function parseLimits(text: string | undefined): RLimit[] | undefined {
  if (!text) return undefined;
  return text.split(",").map((entry) => {
    const [, name, soft, hard = soft] = /^([a-z]+)=(-1|\d{1,19})(?::(-1|\d{1,19}))?$/.exec(entry) ?? [];
    if (name === undefined) throw wrongValue(ANNOTATIONS.rlimits, entry, '"name=soft:hard"');
    const value = (digits: string) => digits === "-1" ? 2n ** 64n - 1n : BigInt(digits);
    return { type: `RLIMIT_${name.toUpperCase()}`, soft: value(soft), hard: value(hard) };
  });
}

function readOne(annotations: Annotations, name: string): string | undefined {
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}

function wrongValue(name: string, value: string, right: string): EngineError {
  return new EngineError("invalid", `annotation ${name} must be ${right}; it is "${value}"`);
}
