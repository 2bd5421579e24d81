/** Create requests for which containers wait, their processes made. */
import type { ContainerRecord, ContainerSpec } from "../../records/container_record.ts";
import type { MountSpec } from "../../records/mount_spec.ts";
import { encode } from "../../store/json.ts";
import type { Context } from "../context.ts";
import { ID_FILE_ANNOTATION } from "../id_file.ts";
import { invalid } from "../../errors.ts";

/** The label of a create request that says how many more containers like it are to wait for the next requests. */
export const WARM_LABEL = "io.gantry.warm";

/** The label that a container shows while it waits. */
export const WAITING_LABEL = "io.gantry.warm.waiting";

/** So many wait for one kind of request. */
const MOST = 16;

/** Networks that a container has, or shares with the host, before anybody knows its name. */
const NETWORK_MODES = ["none", "host", "private", "bridge"];

/** Mounts that begin empty. */
const OWN_MOUNTS = ["tmpfs", "ramfs", "devpts", "mqueue"];

/** Logs that lie in a file of the container's own. */
const LOG_FILES = ["k8s-file", "json-file", "local", "none"];

/** Returns how many containers are to wait for further requests like this one: 0 without the label. Throws `invalid`. */
export function warmCount({ labels }: Pick<ContainerSpec, "labels">): number {
  if (Object.hasOwn(labels, WAITING_LABEL)) {
    throw invalid(`label "${WAITING_LABEL}" is the engine's own: it shows which containers wait for a create request`);
  }
  if (!Object.hasOwn(labels, WARM_LABEL)) return 0;
  const text = labels[WARM_LABEL];
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return count;
  throw invalid(`label "${WARM_LABEL}": "${text}" is no number of containers from 1 to ${MOST}`);
}

/** The text that requests for the same container share: all of a request but its name. */
export function requestKey(spec: ContainerSpec): string {
  return encode({ ...spec, name: undefined, createCommand: undefined });
}

/**
 * Returns why no container can wait for requests like this one, if that is so: what only one container can have, what may change until
 * the request comes, and a name where it is made known before a container has it.
 *
 * @param record The container that was made by the first of them
 */
export function findObstacle(context: Context, spec: ContainerSpec, record: ContainerRecord): string | undefined {
  return findShared(spec, record) ?? findNamed(context, spec, record) ?? findChanging(spec, record);
}

/** The parts of a container that it shares with others, or that only one can have. */
function findShared(spec: ContainerSpec, { ports }: ContainerRecord): string | undefined {
  const modes = Object.values(spec.namespaces).map(({ mode }) => mode);
  const others = [spec.requires, spec.volumesFrom, spec.links, spec.devicesFrom];
  if (modes.includes("container") || others.some((list) => list?.length)) return "it goes with others";
  if (ports.length > 0) return "it publishes ports";
  const hasOwn = Object.values(spec.networks).some(({ aliases, staticIPs, linkLocalIPs, mac }) => {
    return aliases?.length || staticIPs?.length || linkLocalIPs?.length || mac;
  });
  if (hasOwn) return "it has addresses or names of its own";
  return spec.removeImage ? "its image goes with it" : undefined;
}

/** The places where a container's name is known. */
function findNamed(context: Context, spec: ContainerSpec, { networks, log }: ContainerRecord): string | undefined {
  const telling = Object.keys(networks).find((name) => context.networks.resolve(name).dns);
  if (telling !== undefined) return `network "${telling}" tells others its name`;
  if (context.core.options.defaults.nameAsHostname && !spec.hostname) return "its host name is its name";
  if (spec.privileged) return "it is privileged, and told its name";
  if (!LOG_FILES.includes(log.driver) || spec.logPath) return "its log lies elsewhere";
  if (spec.conmonPidFile || spec.annotations[ID_FILE_ANNOTATION]) return "a file of the host tells of it";
  return undefined;
}

/** The parts of a container that are those of the moment in which its process is made. */
function findChanging(spec: ContainerSpec, { mounts }: ContainerRecord): string | undefined {
  const { mode } = spec.namespaces.network;
  if (!NETWORK_MODES.includes(mode)) return `its network is of mode "${mode}"`;
  if (Object.values(spec.namespaces).some(({ mode }) => mode === "path")) return "it joins a namespace of the host";
  if (spec.timeout) return "its time would run while it waits";
  if (spec.secrets?.length || Object.keys(spec.secretEnv ?? {}).length > 0) return "it has secrets, which may change";
  const hasDevices = spec.devices?.length || spec.cdiDevices?.length || spec.gpus?.length;
  if (hasDevices || spec.seccomp?.startsWith("/") || spec.rootfs) return "it has devices or files of the host";
  return mounts.every(isOwnMount) ? undefined : "it mounts files that others may change";
}

function isOwnMount(mount: MountSpec): boolean {
  return OWN_MOUNTS.includes(mount.type) || mount.type === "volume" && mount.anonymous === true;
}
