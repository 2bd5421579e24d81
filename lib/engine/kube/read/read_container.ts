import { deviceSpec } from "../../containers/request/parse_device.ts";
import type { PortMapping } from "../../records/container_record.ts";
import { type Limits, mergeLimits } from "../../records/limits.ts";
import type { Amounts, ContainerPlan, MountPlan, VolumePlan } from "../pod_plan.ts";
import { annotatedFields, annotatedLabels } from "./annotations.ts";
import type { Fields } from "./fields.ts";
import { milliUnits, wholeUnits } from "./quantity.ts";
import { readEnv, readEnvFrom } from "./read_env.ts";
import { readLifecycle } from "./read_lifecycle.ts";
import { readProbes } from "./read_probes.ts";
import { type PodSecurity, readSecurity } from "./read_security.ts";
import { innerPath, readPolicy } from "./read_volumes.ts";
import { withoutAbsent } from "../../../oci/json.ts";

/** The parts of a pod that its containers need. */
export interface PodParts {
  annotations: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
  security: PodSecurity;
  volumes: ReadonlyMap<string, VolumePlan>;
  /** Containers are started again when they end. */
  restarts: boolean;
  /** Seconds. */
  grace?: number;
}

/** The names that Kubernetes takes for a container. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/i;

/** The microseconds over which a share of processor time is counted. */
const PERIOD = 100_000;
const LEAST_QUOTA = 1000;

const PROPAGATION = { None: "private", HostToContainer: "rslave", Bidirectional: "rshared" } as const;

/** Reads a container of a pod; one that is an init container has no probes. */
export function readContainer(fields: Fields, pod: PodParts, isInit: boolean): ContainerPlan {
  const name = fields.needText("name");
  if (!NAME.test(name)) throw fields.fail("name", `must be letters, digits and "-"; it is "${name}"`);
  if (!fields.text("image")) {
    throw fields.fail("image", `is missing: container "${name}" is missing the required 'image' field`);
  }
  if (isInit) refuseProbes(fields);
  const { request: security, nonRoot } = readSecurity(fields.inner("securityContext"), pod.security);
  const amounts = readAmounts(fields);
  const ports = readPorts(fields);
  const annotated = annotatedFields(pod.annotations, name);
  const { mounts, devices } = readMounts(fields, pod.volumes);
  const command = fields.texts("command");
  const args = fields.texts("args");
  return {
    name,
    image: fields.needText("image"),
    policy: readPolicy(fields, "imagePullPolicy"),
    request: {
      ...security,
      ...withoutAbsent(annotated),
      entrypoint: command.length > 0 ? command : undefined,
      // With a command of the document's own, the image's arguments mean nothing.
      command: args.length > 0 || command.length > 0 ? args : undefined,
      workdir: fields.text("workingDir") || undefined,
      terminal: fields.flag("tty") ?? false,
      stdin: fields.flag("stdin") ?? false,
      stdinOnce: fields.flag("stdinOnce") || undefined,
      labels: { ...annotatedLabels(pod.annotations, name), ...pod.labels },
      stopTimeout: isInit ? undefined : pod.grace,
      ...isInit ? {} : readLifecycle(fields, ports),
      health: isInit ? undefined : readProbes(fields, ports, pod.restarts),
      resources: mergeLimits(limitsOf(fields, amounts), annotated.resources ?? {}),
      devices: devices.length > 0 ? devices : undefined,
    },
    env: readEnv(fields),
    envFrom: readEnvFrom(fields),
    mounts,
    ports,
    amounts,
    nonRoot,
  };
}

function refuseProbes(fields: Fields): void {
  const found = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].find((key) => fields.has(key));
  if (found === undefined) return;
  const rule = "either of lifecycle, livenessProbe, readinessProbe, or startupProbe set";
  throw fields.fail(found, `cannot be: cannot create an init container that has ${rule}`);
}

function readAmounts(fields: Fields): Amounts {
  const resources = fields.inner("resources");
  const read = (key: string): Record<string, string> => {
    const list = resources?.inner(key);
    return Object.fromEntries((list?.keys() ?? []).map((name) => {
      const text = list?.amount(name) ?? "0";
      if (!["cpu", "memory"].includes(name) && !DEVICE.test(name)) list?.note(name, "it is not honoured");
      return [name, text];
    }));
  };
  return { limits: read("limits"), requests: read("requests") };
}

/** Podman's name for a device of the host as a resource. */
const DEVICE = /^podman\.io\/device=(\/.+)$/;

function limitsOf(fields: Fields, { limits, requests }: Amounts): Limits {
  const milli = milliUnits(limits.cpu);
  const shares = milliUnits(requests.cpu);
  const memory = wholeUnits(limits.memory);
  const reservation = wholeUnits(requests.memory);
  if (memory > 0 && reservation > memory) {
    throw fields.fail("resources.requests.memory", "must not be more than resources.limits.memory");
  }
  const quota = Math.max(LEAST_QUOTA, milli * PERIOD / 1000);
  return {
    ...(milli > 0 || shares > 0) && {
      cpu: {
        ...milli > 0 && { quota, period: PERIOD },
        ...shares > 0 && { shares: Math.min(262144, Math.max(2, Math.floor(shares * 1024 / 1000))) },
      },
    },
    ...(memory > 0 || reservation > 0) && {
      memory: { ...memory > 0 && { limit: memory }, ...reservation > 0 && { reservation } },
    },
  };
}

function readPorts(fields: Fields): ContainerPlan["ports"] {
  const names = new Set<string>();
  return fields.list("ports").map((port) => {
    const hostPort = port.number("hostPort", 0, 65535) ?? 0;
    const containerPort = port.number("containerPort", 0, 65535) || hostPort;
    if (containerPort === 0) throw port.fail("containerPort", "is missing");
    const protocol = (port.text("protocol") || "TCP").toLowerCase();
    if (!isProtocol(protocol)) {
      throw port.fail("protocol", `must be "TCP", "UDP" or "SCTP"; it is "${protocol}"`);
    }
    const name = port.text("name");
    if (name && names.has(name)) throw port.fail("name", `"${name}" is the name of another port, too`);
    if (name) names.add(name);
    const hostIP = port.text("hostIP") ?? "";
    return { hostIP: hostIP === "0.0.0.0" ? "" : hostIP, hostPort, containerPort, protocol, range: 1, name };
  });
}

function isProtocol(text: string): text is PortMapping["protocol"] {
  return text === "tcp" || text === "udp" || text === "sctp";
}

function readMounts(fields: Fields, volumes: ReadonlyMap<string, VolumePlan>) {
  const mounts: MountPlan[] = [];
  const devices = [...readDevices(fields)];
  for (const mount of fields.list("volumeMounts")) {
    const volume = mount.needText("name");
    const plan = volumes.get(volume);
    if (plan === undefined) {
      throw mount.fail("name", `volume mount ${volume} specified for container but not configured in volumes`);
    }
    // Podman's own: options behind a colon.
    const [destination, more = "", ...rest] = mount.needText("mountPath").split(":");
    if (rest.length > 0) throw mount.fail("mountPath", "incorrect volume format, should be ctr-dir[:option]");
    if (!destination.startsWith("/")) throw mount.fail("mountPath", `must be absolute; it is "${destination}"`);
    const mode = mount.word("mountPropagation", ["None", "HostToContainer", "Bidirectional"]);
    const readOnly = (mount.flag("readOnly") ?? false) || (plan.kind === "claim" && plan.readOnly);
    const options = [
      ...more.split(",").filter((option) => option !== ""),
      ...readOnly ? ["ro"] : [],
      ...mode && plan.kind === "bind" ? [PROPAGATION[mode]] : [],
    ];
    const subPath = mount.text("subPath") ? innerPath(mount, "subPath") : undefined;
    if (plan.kind === "device") devices.push(deviceSpec({ source: plan.source, destination, access: "" }));
    else mounts.push({ volume, destination, options, ...subPath && { subPath } });
  }
  return { mounts, devices };
}

function readDevices(fields: Fields) {
  const resources = fields.inner("resources");
  const names = new Set(["limits", "requests"].flatMap((key) => resources?.inner(key)?.keys() ?? []));
  return [...names].flatMap((name) => {
    const [, source] = DEVICE.exec(name) ?? [];
    return source === undefined ? [] : [deviceSpec({ source, destination: "", access: "" })];
  });
}
