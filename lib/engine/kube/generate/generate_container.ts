import type { ImageConfig } from "../../../oci/image_config.ts";
import type { ContainerRecord, PortMapping } from "../../records/container_record.ts";
import type { LifecycleHook } from "../../records/lifecycle_hooks.ts";
import { grpcQuestion } from "../../containers/health/health_check.ts";
import type { HealthCheck } from "../../records/health_plan.ts";
import { signalName, SIGTERM } from "../../text/signals.ts";
import { ANNOTATIONS } from "../read/annotations.ts";
import { generateMounts, type MountFacts, type Part } from "./generate_mounts.ts";

/** A container of a document, and the parts of it that stand elsewhere in its pod. */
export interface GeneratedContainer {
  container: Part;
  volumes: Map<string, Part>;
  annotations: Record<string, string>;
  notes: string[];
}

/** The facts of a container that its record does not have. */
export interface ContainerSources extends Omit<MountFacts, "imageVolumes"> {
  /** The container's name in the document. */
  name: string;
  /** The image's configuration; `undefined` where the image has gone. */
  image?: ImageConfig;
  /** The ports that the container itself has; those of a pod belong to its infra container. */
  ports: readonly PortMapping[];
  /** Ports of the host are left to a service. */
  withService: boolean;
}

const SECOND = 1000;
/** The shares of processor time that are one processor. */
const SHARES = 1024;

const UNITS = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Writes a container. */
export async function generateContainer(
  record: ContainerRecord,
  sources: ContainerSources,
): Promise<GeneratedContainer> {
  const { spec, mounts } = record;
  const { name, image } = sources;
  const imageVolumes = Object.keys(image?.config?.Volumes ?? {});
  const generated = await generateMounts(mounts, { ...sources, imageVolumes });
  const notes = generated.notes;
  const { entrypoint = [], command = [] } = spec;
  const environment = Object.entries(spec.env).map(([key, value]) => ({ name: key, value: escapeText(value) }));
  const resources = generateResources(record, notes);
  const container = {
    name,
    image: record.imageName,
    ...entrypoint.length > 0 && { command: entrypoint.map(escapeText) },
    ...command.length > 0 && { args: command.map(escapeText) },
    ...environment.length > 0 && { env: environment },
    ...spec.workdir && { workingDir: spec.workdir },
    ...spec.terminal && { tty: true },
    ...spec.stdin && { stdin: true },
    ...sources.ports.length > 0 && { ports: generatePorts(sources.ports, sources.withService) },
    ...resources && { resources },
    ...generateSecurity(record, notes),
    ...spec.initContainer === undefined &&
      { ...generateProbes(record, image, notes), ...generateLifecycle(record, image) },
    ...generated.mounts.length > 0 && { volumeMounts: generated.mounts },
  };
  return {
    container,
    volumes: generated.volumes,
    annotations: generateAnnotations(record, name),
    notes: notes.map((note) => `container ${record.name}: ${note}`),
  };
}

/** Kubernetes replaces `$(NAME)` in what it runs: `$$` stands for the sign itself. */
export function escapeText(text: string): string {
  return text.replaceAll(/\$(?=[$(])/g, "$$$$");
}

/** Writes published ports, each of a range alone. */
export function generatePorts(ports: readonly PortMapping[], withService: boolean): Part[] {
  return ports.flatMap(({ hostIP, hostPort, containerPort, protocol, range }) =>
    Array.from({ length: range }, (_, index) => ({
      containerPort: containerPort + index,
      ...!withService && { hostPort: hostPort + index },
      ...hostIP && { hostIP },
      ...protocol !== "tcp" && { protocol: protocol.toUpperCase() },
    }))
  );
}

function generateResources({ spec }: ContainerRecord, notes: string[]): Part | undefined {
  const { memory, cpu } = spec.resources;
  const { quota, period, shares } = cpu ?? {};
  const limits: Part = {};
  const requests: Part = {};
  if (quota && quota > 0 && period) limits.cpu = milliText(quota * 1000 / period);
  if (shares) requests.cpu = milliText(shares * 1000 / SHARES);
  if (memory?.limit && memory.limit > 0) limits.memory = byteText(memory.limit);
  if (memory?.reservation && memory.reservation > 0) requests.memory = byteText(memory.reservation);
  for (const { source, destination, access } of spec.devices ?? []) {
    if (source === destination && access === "rwm") limits[`podman.io/device=${source}`] = 1;
    else notes.push(`the device ${source} is left out: no document has it at ${destination} with access ${access}`);
  }
  const parts = {
    ...Object.keys(limits).length > 0 && { limits },
    ...Object.keys(requests).length > 0 && { requests },
  };
  return Object.keys(parts).length > 0 ? parts : undefined;
}

/** An amount of bytes as Kubernetes writes it: in the largest unit that takes it whole, each 1024 times the one before. */
function byteText(bytes: number): string {
  let unit = 0;
  for (; bytes % 1024 === 0 && unit < UNITS.length - 1; unit++) bytes /= 1024;
  return `${bytes}${UNITS[unit]}`;
}

/** Whole processors without a unit, as Kubernetes writes them. */
function milliText(milli: number): string {
  const whole = Math.max(1, Math.ceil(milli - 1e-9));
  return whole % 1000 === 0 ? String(whole / 1000) : `${whole}m`;
}

function generateSecurity({ spec }: ContainerRecord, notes: string[]): { securityContext?: Part } {
  const [user, group] = (spec.user ?? "").split(":");
  const isNumber = (text: string | undefined) => text !== undefined && /^\d{1,10}$/.test(text);
  if (spec.user && (!isNumber(user) || (group !== undefined && !isNumber(group)))) {
    notes.push(`the user "${spec.user}" is left out: a document has only numbers`);
  }
  const selinux = generateLabels(spec.selinux ?? []);
  const context = {
    ...isNumber(user) && { runAsUser: Number(user) },
    ...isNumber(user) && isNumber(group) && { runAsGroup: Number(group) },
    ...spec.privileged && { privileged: true },
    ...spec.readOnly && { readOnlyRootFilesystem: true },
    ...spec.noNewPrivileges && { allowPrivilegeEscalation: false },
    ...(spec.capAdd.length > 0 || spec.capDrop.length > 0) && {
      capabilities: {
        ...spec.capAdd.length > 0 && { add: spec.capAdd.map(plainCapability) },
        ...spec.capDrop.length > 0 && { drop: spec.capDrop.map(plainCapability) },
      },
    },
    ...spec.unmasks.includes("ALL") && { procMount: "Unmasked" },
    ...selinux && { seLinuxOptions: selinux },
    ...spec.seccomp === "unconfined" && { seccompProfile: { type: "Unconfined" } },
    ...spec.apparmor && {
      appArmorProfile: spec.apparmor === "unconfined"
        ? { type: "Unconfined" }
        : { type: "Localhost", localhostProfile: spec.apparmor },
    },
  };
  return Object.keys(context).length > 0 ? { securityContext: context } : {};
}

/** Kubernetes has no prefix. */
function plainCapability(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, "");
}

function generateLabels(labels: readonly string[]): Part | undefined {
  const fields = labels.flatMap((label) => {
    const [, key, value] = /^(user|role|type|level|filetype):(.*)$/.exec(label) ?? [];
    return key === undefined ? [] : [[key === "filetype" ? "fileType" : key, value]];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function generateProbes({ health }: ContainerRecord, image: ImageConfig | undefined, notes: string[]): Part {
  const { check, startup, readiness, onFailure } = health ?? { onFailure: "none" };
  if (check === undefined || check.test[0] === "NONE") return {};
  const isImages = JSON.stringify(check.test) === JSON.stringify(image?.config?.Healthcheck?.Test);
  if (isImages && startup === undefined) return {};
  if (onFailure === "kill" || onFailure === "stop") {
    notes.push(`a container that is unhealthy is restarted, where it now gets a ${onFailure}`);
  }
  const isOnlyStartup = startup !== undefined && check.test.join(" ") === "CMD-SHELL exit 0";
  return {
    ...!isOnlyStartup &&
      { [onFailure === "none" && !readiness ? "readinessProbe" : "livenessProbe"]: generateProbe(check) },
    ...readiness && { readinessProbe: generateProbe(readiness) },
    ...startup && {
      startupProbe: { ...generateProbe(startup), ...startup.successes > 1 && { successThreshold: startup.successes } },
    },
  };
}

function generateProbe({ test, interval, timeout, startPeriod, retries }: HealthCheck): Part {
  const [word, ...rest] = test;
  const command = word === "CMD" ? rest : word === "CMD-SHELL" ? ["/bin/sh", "-c", rest.join(" ")] : test;
  const seconds = (time: number) => Math.max(1, Math.ceil(time / SECOND));
  const grpc = grpcQuestion(test);
  return {
    ...grpc ? { grpc: { port: grpc.port, ...grpc.service && { service: grpc.service } } } : { exec: { command } },
    ...startPeriod > 0 && { initialDelaySeconds: seconds(startPeriod) },
    periodSeconds: seconds(interval),
    timeoutSeconds: seconds(timeout),
    failureThreshold: Math.max(1, retries),
  };
}

function generateLifecycle(
  { spec: { hooks = {} }, stopSignal }: ContainerRecord,
  image: ImageConfig | undefined,
): Part {
  const signal = stopSignal !== SIGTERM && !image?.config?.StopSignal ? signalName(stopSignal) : undefined;
  const lifecycle = {
    ...hooks.postStart && { postStart: generateHook(hooks.postStart) },
    ...hooks.preStop && { preStop: generateHook(hooks.preStop) },
    ...signal && { stopSignal: signal },
  };
  return Object.keys(lifecycle).length > 0 ? { lifecycle } : {};
}

function generateHook(hook: LifecycleHook): Part {
  return hook.kind === "sleep" ? { sleep: { seconds: hook.seconds } } : { exec: { command: hook.command } };
}

/** Writes settings that Kubernetes has no field for, as Podman's annotations. */
function generateAnnotations({ spec }: ContainerRecord, name: string): Record<string, string> {
  const { cpu } = spec.resources;
  const updates = Object.entries(spec.labels).filter(([key]) => key.startsWith("io.containers.autoupdate"));
  const seccomp = spec.seccomp && spec.seccomp !== "unconfined" ? spec.seccomp : undefined;
  const own = {
    ...spec.init && { [ANNOTATIONS.init]: "TRUE" },
    ...spec.remove && { [ANNOTATIONS.remove]: "TRUE" },
    ...cpu?.cpus && { [ANNOTATIONS.cpus]: cpu.cpus },
    ...cpu?.mems && { [ANNOTATIONS.memoryNodes]: cpu.mems },
    ...seccomp && { [ANNOTATIONS.seccomp]: seccomp },
    ...spec.labelNested && { [ANNOTATIONS.label]: "nested" },
    ...Object.fromEntries(updates),
  };
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [`${key}/${name}`, value]));
}
