import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
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
import { networkSettings } from "./inspect_network.ts";
import { surroundingsConfig } from "./inspect_spec.ts";
import { signalName } from "../../../lib/engine/text/signals.ts";
import { DEFAULT_UMASK } from "../../../lib/engine/text/umask.ts";

/** The data of an inspection besides the record. */
export interface InspectOptions {
  image: ImageRecord | undefined;
  /** The name of the server's own OCI runtime. */
  runtime: string;
  /** The host's facts about the container. */
  facts: ContainerFacts | undefined;
  /** Bytes in the writable layer, when sizes are asked for. */
  rwSize?: number;
  /** Returns the path of a named volume on the host. */
  volumePath(name: string): string;
  /** Its exec sessions. */
  execIDs: readonly string[];
  /** A network's ID by its name. */
  networkID(name: string): string;
  /** The results of its health checks. */
  health: HealthState | undefined;
  /** The client is older than version 5: two fields have another form. */
  legacy?: boolean;
}

/** A container as the native tree inspects it. */
export function inspectContainer(record: ContainerRecord, options: InspectOptions): InspectContainerData {
  const { image, rwSize } = options;
  const runtime = record.spec.runtime ?? options.runtime;
  const exposed = exposedBy(record, image);
  const [path = "", ...args] = record.process.args;
  return emit(InspectContainerData, {
    Id: record.id,
    Created: wireTime(record.created),
    Path: path,
    Args: args,
    State: { ...state(record, options.facts), Health: healthResults(record, options.health) },
    Image: record.imageID,
    ImageDigest: image?.digest ?? "",
    ImageName: record.imageName,
    Rootfs: record.spec.rootfs?.path ?? "",
    OCIRuntime: runtime,
    Name: record.name,
    RestartCount: record.state.restartCount,
    Driver: "overlay",
    ExecIDs: options.execIDs,
    ...hostSide(record, options.facts),
    SizeRw: rwSize,
    SizeRootFs: rwSize === undefined ? 0 : (image?.size ?? 0) + rwSize,
    Mounts: inspectMounts(record, options.volumePath),
    Dependencies: dependenciesOf(record),
    NetworkSettings: networkSettings(record, exposed, options.networkID),
    Config: config(record, exposed, options),
    HostConfig: hostConfig(record, runtime),
    UseImageHosts: record.spec.noHosts,
    UseImageHostname: record.spec.noHostname ?? false,
    AppArmorProfile: record.spec.apparmor ?? "",
  });
}

/** Files that come and go with the process are told of while they are there. */
function hostSide({ state }: ContainerRecord, facts: ContainerFacts | undefined): Sparse<InspectContainerData> {
  if (!facts) return { GraphDriver: { Name: "overlay", Data: {} } };
  const { tree, capabilities } = facts;
  const isUp = state.pid !== 0;
  const parts = { LowerDir: tree.lower.join(":"), UpperDir: tree.upper, WorkDir: tree.work };
  return {
    ResolvConfPath: isUp ? facts.resolvConf : "",
    HostnamePath: isUp ? facts.hostname : "",
    HostsPath: isUp ? facts.hosts : "",
    OCIConfigPath: isUp ? facts.config : undefined,
    StaticDir: facts.folder,
    ConmonPidFile: facts.conmonPidFile,
    PidFile: facts.pidFile,
    EffectiveCaps: capabilities.effective,
    BoundingCaps: capabilities.bounding,
    GraphDriver: { Name: "overlay", Data: isUp ? { ...parts, MergedDir: tree.merged } : parts },
  };
}

function state({ state }: ContainerRecord, facts: ContainerFacts | undefined): Sparse<InspectContainerData["State"]> {
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
    Checkpointed: state.checkpointedAt !== undefined,
    CheckpointPath: state.checkpointedAt === undefined ? undefined : facts?.checkpoint,
    CheckpointedAt: wireTime(state.checkpointedAt),
    Restored: state.restoredAt !== undefined,
    RestoredAt: wireTime(state.restoredAt),
    StoppedByUser: state.stoppedByUser,
  };
}

function config(
  record: ContainerRecord,
  exposed: readonly string[],
  { image, legacy }: InspectOptions,
): Sparse<InspectContainerConfig> {
  const { spec, process } = record;
  const entrypoint = [...entrypointOf(record, image)];
  const volumes = record.mounts.filter(({ anonymous }) => anonymous).map(({ destination }) => [destination, {}]);
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
    Entrypoint: legacy ? entrypoint.join(" ") : entrypoint,
    Labels: spec.labels,
    Annotations: spec.annotations,
    StopSignal: legacy ? record.stopSignal : signalName(record.stopSignal),
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
    ...surroundingsConfig(record),
    ExposedPorts: Object.fromEntries(exposed.map((port) => [port.includes("/") ? port : `${port}/tcp`, {}])),
  };
}
