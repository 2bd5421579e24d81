import { messageOf } from "../../../oci/message_of.ts";
import type { ExecutionConfig } from "../../../oci/image_config.ts";
import type { ContainerDefaults } from "../../records/container_defaults.ts";
import type {
  ContainerRecord,
  ContainerSpec,
  ContainerState,
  NamespaceMode,
  PortMapping,
} from "../../records/container_record.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Intent } from "../../store/intents.ts";
import type { Operation } from "../../store/table.ts";
import { storedSpec } from "../../records/stored_spec.ts";
import type { MountSpec } from "../../records/mount_spec.ts";
import type { Reserved } from "../records.ts";
import { randomID } from "../../text/names.ts";
import { askedMounts, requireSource, sourcesToMake } from "./asked_mounts.ts";
import { type Context, emitEvent, type MadeContainer } from "../context.ts";
import { requireHost } from "../../core.ts";
import { passedOverOptions } from "./check_log_options.ts";
import { chooseLog } from "./choose_log.ts";
import { chooseNetworks } from "./choose_networks.ts";
import { cannotLimitTree, isCode, nameInUse } from "../failures.ts";
import { chooseHealth } from "../health/choose_health.ts";
import { grantResources } from "./grant.ts";
import { makeVolumes } from "./make_volumes.ts";
import { DEFAULT_STOP_TIMEOUT, isSystemd, mergeExposed, mergeLabels, mergeProcess, mergeStopSignal } from "./merge.ts";
import { anonymousVolumes, checkVolumeName, resolveMounts, volumesOf } from "./mounts.ts";
import { checkRecordSize } from "../record_size.ts";
import { assignPorts, checkMappings, publishAll } from "./port_mappings.ts";
import { chooseUsers } from "./choose_users.ts";
import { canPublish, requireHealthCheck, validateSpec } from "./validate.ts";
import { mountsFrom, parseVolumesFrom } from "./volumes_from.ts";
import { invalid } from "../../errors.ts";

/** The kind of the intents that precede a creation. */
export const CREATE_INTENT = "container.create";

/** The label under which an image brings a seccomp profile. */
const SECCOMP_LABEL = "io.containers.seccomp.profile";

/** The state of a container nothing has happened to. */
export const FRESH_STATE: ContainerState = {
  status: "created",
  pid: 0,
  conmonPid: 0,
  startedAt: 0,
  finishedAt: 0,
  exitCode: 0,
  oomKilled: false,
  error: "",
  restartCount: 0,
  stoppedByUser: false,
};

/**
 * Makes a container from a complete spec, under the ID it had where it comes from.
 *
 * @param also Operations that last from the same moment as the container's record
 */
export async function createFromSpec(
  context: Context,
  spec: ContainerSpec,
  id: string = randomID(context.core.random),
  also: readonly Operation[] = [],
): Promise<MadeContainer> {
  const { core, records } = context;
  requireHost(context.core);
  validateSpec(spec);
  const isBare = spec.rootfs !== undefined || (spec.infra && spec.image === "");
  const image = isBare ? undefined : core.images.resolve(spec.image);
  spec = fromImage(fromEngine(spec, core.options.defaults), image?.config.config ?? {});
  await requireHost(context.core).specs.check(spec);
  using _image = image && core.images.pin(image.id);
  if (records.get(id)) throw nameInUse(spec.name ?? id, id);
  using reserved = records.reserve(id, spec.name);
  const { granted, warnings } = await grantResources(context, spec);
  warnings.push(...passedOverOptions(spec));
  const record = await draftRecord(context, { id, reserved, spec: granted, image, warnings });
  checkRecordSize(context, record);
  using _networks = context.networks.hold(Object.keys(record.networks));
  await make(context, record, also);
  emitEvent(context, record, "create");
  return { record, warnings };
}

interface Draft {
  id: string;
  reserved: Reserved;
  spec: ContainerSpec;
  /** None, where a folder of the host takes its place. */
  image: ImageRecord | undefined;
  warnings: string[];
}

async function draftRecord(
  context: Context,
  { id, reserved, spec: asked, image, warnings }: Draft,
): Promise<ContainerRecord> {
  const { name } = reserved;
  const config = image?.config.config ?? {};
  const host = requireHost(context.core);
  const requires = asked.requires?.map((name) => context.records.resolve(name).id);
  const namespaces = resolveNamespaces(context, asked);
  const { idMaps, user } = await chooseUsers(context, { ...asked, namespaces });
  const spec = user === undefined ? asked : { ...asked, user };
  const hostname = await chooseHostname(context, { ...spec, name, namespaces }, id);
  const exposed = mergeExposed(spec, config);
  const { proxyEnv, defaults } = context.core.options;
  const around = { hostname, proxyEnv, hostEnv: host.specs.environment(), defaultEnv: defaults.env };
  const process = mergeProcess(spec, config, around);
  const systemd = isSystemd(spec, process.args);
  return {
    id,
    name,
    created: context.core.clock.now(),
    spec: storedSpec({ ...spec, namespaces, exposed, requires, labels: mergeLabels(spec, config) }),
    imageID: image?.id ?? "",
    imageName: image ? fullName(image, spec.image) : "",
    diffIDs: image?.layers.map((layer) => layer.diffID) ?? [],
    process,
    ...idMaps && { idMaps },
    ...systemd && { systemd },
    stopSignal: mergeStopSignal(spec, config, systemd),
    stopTimeout: spec.stopTimeout ?? DEFAULT_STOP_TIMEOUT,
    hostname,
    mounts: await resolveMountsChecked(context, spec, config),
    ports: await choosePorts(context, spec, exposed, { reserved, warnings }),
    networks: await chooseNetworks(context, spec, id),
    secrets: context.secrets.resolve(spec),
    health: requireHealthCheck(spec, await chooseHealth(context, spec, config)),
    log: await chooseLog(host, id, spec),
    state: FRESH_STATE,
  };
}

/** Adds the settings that only the engine decides, and no request. */
function fromEngine(spec: ContainerSpec, { hostAddress, capabilities }: ContainerDefaults): ContainerSpec {
  return { ...spec, ...hostAddress && { hostAddress }, ...capabilities && { baseCapabilities: capabilities } };
}

/** Adds the image's settings to a spec that leaves them to the image. */
function fromImage(spec: ContainerSpec, { Labels }: ExecutionConfig): ContainerSpec {
  const seccompText = spec.seccompPolicy === "image" ? Labels?.[SECCOMP_LABEL] : undefined;
  return seccompText === undefined ? spec : { ...spec, seccompText };
}

/** The image's own name that was meant; a short name may stand for any of several. */
function fullName({ names }: ImageRecord, asked: string): string {
  const meant = names.find((name) =>
    [asked, `${asked}:latest`].some((text) => name === text || name.endsWith(`/${text}`))
  );
  return meant ?? names[0] ?? asked;
}

/** Other containers are named by their ID from here on: names change. */
function resolveNamespaces(context: Context, spec: ContainerSpec): ContainerSpec["namespaces"] {
  const resolve = (namespace: NamespaceMode): NamespaceMode =>
    namespace.mode === "container"
      ? { ...namespace, value: context.records.resolve(namespace.value ?? "").id }
      : namespace;
  const { network, pid, ipc, uts, cgroup, user } = spec.namespaces;
  if (ipc.mode === "container") requireShareable(context.records.resolve(ipc.value ?? ""));
  return {
    network: resolve(network),
    pid: resolve(pid),
    ipc: resolve(ipc),
    uts: resolve(uts),
    cgroup: resolve(cgroup),
    ...user && { user: resolve(user) },
  };
}

/** A private IPC namespace, or none, is for its container alone. */
function requireShareable({ id, spec }: ContainerRecord): void {
  const { mode } = spec.namespaces.ipc;
  if (mode !== "private" && mode !== "none") return;
  const hint = "(hint: use IpcMode:shareable for the donor container)";
  throw invalid(`joining IPC of container ${id} is not allowed: non-shareable IPC ${hint}`);
}

async function chooseHostname(context: Context, spec: ContainerSpec, id: string): Promise<string> {
  const { network, uts } = spec.namespaces;
  if (spec.hostname) return spec.hostname;
  if (uts.mode === "host") return (await requireHost(context.core).info()).hostname;
  if (uts.mode === "container") return context.records.require(uts.value ?? "").hostname;
  // Podman's rule: who shares the host's network also goes by the host's name.
  if (network.mode === "host") return (await requireHost(context.core).info()).hostname;
  const named = context.core.options.defaults.nameAsHostname ? spec.name?.replace(/[^a-zA-Z0-9-]/g, "") : "";
  return named?.slice(0, 63) || id.slice(0, 12);
}

async function resolveMountsChecked(
  context: Context,
  spec: ContainerSpec,
  config: ExecutionConfig,
): Promise<MountSpec[]> {
  const inherited = (spec.volumesFrom ?? []).map(parseVolumesFrom).flatMap(({ container, options }) => {
    return mountsFrom(context.records.resolve(container), options);
  });
  const asked = await askedMounts(context, spec.mounts);
  const origins = { inherited, imageVolumes: spec.imageVolumes };
  const mounts = resolveMounts(asked, config, () => randomID(context.core.random), origins);
  for (const { source } of volumesOf(mounts)) checkVolumeName(source);
  const named = mounts.filter(({ type }) => type === "bind" || type === "overlay");
  // Mounts of other containers may show the same folder.
  const made = sourcesToMake(spec.mounts);
  await Promise.all(named.map(({ source }) => requireSource(context, source, made.has(source))));
  return mounts;
}

async function choosePorts(
  context: Context,
  spec: ContainerSpec,
  exposed: string[],
  { reserved, warnings }: Pick<Draft, "reserved" | "warnings">,
): Promise<PortMapping[]> {
  const host = requireHost(context.core);
  const { mode } = spec.namespaces.network;
  // Docker's clients are told of both where the host has both.
  const isDual = spec.defaults === "docker" && mode === "bridge" && host.networks.hasIPv6?.() === true;
  const checked = checkMappings(spec.ports).map(({ bothFamilies, ...mapping }): PortMapping => {
    return bothFamilies && isDual ? { ...mapping, bothFamilies } : mapping;
  });
  if (!canPublish(mode)) {
    if (checked.length > 0) {
      const reason = `because "${mode}" network namespace mode does not support them`;
      warnings.push(`Port mappings have been discarded ${reason}`);
    }
    return [];
  }
  const exposedToo = spec.publishImagePorts ? publishAll(checked, exposed) : [];
  const wanted = [
    ...checked,
    ...exposedToo.map((mapping): PortMapping => isDual ? { ...mapping, bothFamilies: true } : mapping),
  ];
  return await assignPorts(wanted, {
    random: context.core.random,
    taken: () => context.records.publishedPorts(),
    hold: reserved.holdPort,
    isFree: async (mapping) => {
      try {
        await host.networks.checkPorts([mapping]);
        return true;
      } catch (error) {
        if (isCode(error, "port_in_use")) return false;
        throw error;
      }
    },
  });
}

/** Acts on the host, and undoes it where that fails. */
async function make(context: Context, record: ContainerRecord, also: readonly Operation[]): Promise<void> {
  const { core, records } = context;
  const anonymous = anonymousVolumes(record.mounts).map(({ source }) => source);
  const { intent, operation } = core.intents.begin(CREATE_INTENT, record.id, { volumes: anonymous.join(",") });
  await core.state.commit([operation]);
  try {
    await makeVolumes(context, record.mounts, record.spec);
    await makeTree(context, record);
    await records.save(record, [core.intents.end(intent), ...await context.secrets.keep(record), ...also]);
  } catch (error) {
    await undoCreate(context, intent);
    throw error;
  }
}

/** Makes the container's writable layer, with its limits. */
async function makeTree({ core }: Context, { id, diffIDs, spec: { treeLimit } }: ContainerRecord): Promise<void> {
  try {
    await requireHost(core).layers.create(id, diffIDs, treeLimit);
  } catch (error) {
    throw treeLimit && isCode(error, "unsupported") ? cannotLimitTree(messageOf(error), error) : error;
  }
}

/** Takes back what a creation did to the host: its own volumes too, but none that has a name others may know. */
export async function undoCreate(context: Context, intent: Intent): Promise<void> {
  const { core, volumes } = context;
  const names = (intent.details.volumes ?? "").split(",").filter((name) => name !== "");
  await requireHost(context.core).layers.destroy(intent.subject);
  for (const name of names) await volumes.remove(name);
  await core.state.commit([core.intents.end(intent)]);
}
