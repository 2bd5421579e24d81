import type { NetworkStatus } from "../../../lib/engine/records/network_status.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { anonymousVolumes } from "../../../lib/engine/containers/create/mounts.ts";
import { dependenciesOf } from "../../../lib/engine/containers/dependencies.ts";
import type { HealthState } from "../../../lib/engine/containers/health/health_states.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import type { ContainerFacts } from "../../../lib/engine/ports/host_facts.ts";
import { type InspectContainerConfig, InspectContainerData } from "../../wire/containers/container_inspect.ts";
import { emit, type Sparse } from "../../wire/emit.ts";
import { wireTime } from "../../wire/time.ts";
import { commandOf, entrypointOf, exposedBy } from "./command.ts";
import { healthConfig, healthResults } from "./inspect_health.ts";
import { hostConfig } from "./inspect_host.ts";
import { inspectMounts } from "./inspect_mounts.ts";
import { networkSettings, portBindings } from "./inspect_network.ts";
import { specConfig } from "./inspect_spec.ts";
import { signalName } from "../../../lib/engine/text/signals.ts";
import { DEFAULT_UMASK } from "../../../lib/engine/text/umask.ts";
import { firstProcess } from "../../../lib/engine/records/spec_parts.ts";

/** The facts that an inspection tells besides the record. */
export interface InspectFacts {
  image: ImageRecord | undefined;
  /** The name of its OCI runtime. */
  runtime: string;
  /** The host's facts about the container. */
  facts: ContainerFacts | undefined;
  /** Bytes in the writable layer, when sizes are asked for. */
  rwSize?: number;
  /** Returns the path of a named volume on the host. */
  volumePath(name: string): string;
  /** Its exec sessions. */
  execIDs: readonly string[];
  /** The interfaces of a network namespace that the container joined by its path. */
  joined?: NetworkStatus["interfaces"];
  /** A network's ID by its name. */
  networkID(name: string): string;
  /** The container whose network it has, where that is another's, and the image of that one. */
  network?: { record: ContainerRecord; image: ImageRecord | undefined };
  /** Pods name it as the container that runs as long as they do. */
  isService?: boolean;
  /** The results of its health checks. */
  health: HealthState | undefined;
}

/** A container as the native tree inspects it; `isLegacy`: for a client before version 5, with two fields in another form. */
export function inspectContainer(record: ContainerRecord, more: InspectFacts, isLegacy = false): InspectContainerData {
  const { image } = more;
  const entrypoint = entrypointOf(record, image);
  const [path = "", ...args] = firstProcess(record.spec, record.process.args);
  return emit(InspectContainerData, {
    ...inspectCommon(record, more),
    Path: path,
    Args: args,
    State: inspectState(record, more),
    Image: record.imageID,
    ImageDigest: image?.digest ?? "",
    ImageName: record.imageName,
    Rootfs: record.spec.rootfs?.path ?? "",
    OCIRuntime: more.runtime,
    Name: record.name,
    ...hostSide(record, more.facts),
    SizeRootFs: more.rwSize === undefined ? 0 : (image?.size ?? 0) + more.rwSize,
    Mounts: inspectMounts(record, more.volumePath),
    Dependencies: dependenciesOf(record),
    Pod: record.spec.pod ?? "",
    IsInfra: record.spec.infra ?? false,
    IsService: more.isService ?? false,
    NetworkSettings: inspectNetwork(record, more),
    Config: {
      ...inspectConfig(record, image),
      Entrypoint: isLegacy ? entrypoint.join(" ") : entrypoint,
      StopSignal: isLegacy ? record.stopSignal : signalName(record.stopSignal),
    },
    HostConfig: hostConfig(record, more.runtime),
    UseImageHosts: record.spec.noHosts,
    UseImageHostname: record.spec.noHostname ?? false,
  });
}

/** The network that the container has, its own or another's: what `podman inspect` shows of the containers of a pod, too. */
function inspectNetwork(
  record: ContainerRecord,
  { image, network = { record, image }, networkID, joined }: InspectFacts,
): Sparse<InspectContainerData["NetworkSettings"]> {
  return networkSettings(network.record, exposedBy(network.record, network.image), networkID, joined);
}

/** The fields by which both trees tell the same. */
export function inspectCommon(
  record: ContainerRecord,
  { facts, execIDs, rwSize }: InspectFacts,
): Pick<Sparse<InspectContainerData>, CommonField> {
  const [path = "", ...args] = record.process.args;
  const isUp = record.state.pid !== 0;
  return {
    Id: record.id,
    Created: wireTime(record.created),
    Path: path,
    Args: args,
    RestartCount: record.state.restartCount,
    Driver: "overlay",
    ExecIDs: execIDs,
    // Files that come and go with the process are told of while they are there.
    ResolvConfPath: isUp ? facts?.resolvConf : "",
    HostnamePath: isUp ? facts?.hostname : "",
    HostsPath: isUp ? facts?.hosts : "",
    GraphDriver: { Name: "overlay", Data: facts ? treeFolders(facts, isUp) : {} },
    SizeRw: rwSize,
    AppArmorProfile: record.spec.apparmor ?? "",
  };
}

type CommonField =
  | "Id"
  | "Created"
  | "Path"
  | "Args"
  | "RestartCount"
  | "Driver"
  | "ExecIDs"
  | "ResolvConfPath"
  | "HostnamePath"
  | "HostsPath"
  | "GraphDriver"
  | "SizeRw"
  | "AppArmorProfile";

/** The folders of a container's tree on the host; the merged one is told where it is mounted. */
export function treeFolders({ tree }: ContainerFacts, isUp: boolean): Record<string, string> {
  const parts = { LowerDir: tree.lower.join(":"), UpperDir: tree.upper, WorkDir: tree.work };
  return isUp ? { ...parts, MergedDir: tree.merged } : parts;
}

function hostSide({ state }: ContainerRecord, facts: ContainerFacts | undefined): Sparse<InspectContainerData> {
  if (!facts) return {};
  const { capabilities } = facts;
  return {
    OCIConfigPath: state.pid !== 0 ? facts.config : undefined,
    StaticDir: facts.folder,
    ConmonPidFile: facts.conmonPidFile,
    PidFile: facts.pidFile,
    EffectiveCaps: capabilities.effective,
    BoundingCaps: capabilities.bounding,
  };
}

/** A container's state and health. */
export function inspectState(
  record: ContainerRecord,
  { facts, health }: Pick<InspectFacts, "facts" | "health">,
): Sparse<NonNullable<InspectContainerData["State"]>> {
  const { state } = record;
  const { status } = state;
  return {
    OciVersion: "1.0.2",
    Status: status,
    // A container that is being stopped still runs.
    Running: status === "running" || status === "stopping",
    Paused: status === "paused",
    OOMKilled: state.oomKilled,
    Pid: state.pid,
    ConmonPid: state.conmonPid,
    ExitCode: state.exitCode,
    Error: state.error,
    StartedAt: wireTime(state.startedAt),
    FinishedAt: wireTime(state.finishedAt),
    Health: healthResults(record, health),
    Checkpointed: state.checkpointedAt !== undefined,
    CheckpointPath: state.checkpointedAt === undefined ? undefined : facts?.checkpoint,
    CheckpointedAt: wireTime(state.checkpointedAt),
    Restored: state.restoredAt !== undefined,
    RestoredAt: wireTime(state.restoredAt),
    StoppedByUser: state.stoppedByUser,
  };
}

/** A container's own side, without the two fields that each kind of client has in another form. */
export function inspectConfig(
  record: ContainerRecord,
  image: ImageRecord | undefined,
): Omit<Sparse<InspectContainerConfig>, "Entrypoint" | "StopSignal" | "OnBuild"> {
  const { spec, process } = record;
  // Ports that are published are exposed, too.
  const exposed = [...new Set([...exposedBy(record, image), ...Object.keys(portBindings(record.ports))])];
  const volumes = anonymousVolumes(record.mounts).map(({ destination }) => [destination, {}]);
  return {
    Hostname: record.hostname,
    User: process.user,
    AttachStdin: spec.stdin,
    Tty: spec.terminal,
    OpenStdin: spec.stdin,
    StdinOnce: spec.stdinOnce ?? false,
    Env: [...process.env, ...Object.keys(spec.secretEnv ?? {}).map((name) => `${name}=*******`)],
    Cmd: commandOf(record, image),
    Image: record.imageName,
    Volumes: volumes.length > 0 ? Object.fromEntries(volumes) : null,
    WorkingDir: process.workdir,
    Labels: spec.labels,
    Annotations: spec.annotations,
    ...healthConfig(record),
    CreateCommand: spec.createCommand,
    Timezone: spec.timezone,
    Secrets: record.secrets?.map(({ id, name, uid, gid, mode }) => ({
      ID: id,
      Name: name,
      UID: uid,
      GID: gid,
      Mode: mode,
    })),
    Umask: spec.umask ?? DEFAULT_UMASK,
    Timeout: spec.timeout ?? 0,
    StopTimeout: record.stopTimeout,
    ...specConfig(record),
    ExposedPorts: Object.fromEntries(exposed.map((port) => [port.includes("/") ? port : `${port}/tcp`, {}])),
  };
}
