import { EngineError } from "../../errors.ts";
import type { ContainerRecord, RestartPolicy } from "../../records/container_record.ts";
import type { PodRecord } from "../../records/pod_record.ts";
import type { KubeParts } from "../kube_parts.ts";
import { ANNOTATIONS } from "../read/annotations.ts";
import { generateContainer, generatePorts } from "./generate_container.ts";
import { kubeName, type Part } from "./generate_mounts.ts";

/** How documents are written. */
export interface GenerateOptions {
  /** Write a service for the ports, in place of ports of the host. */
  service?: boolean;
  /** `pod`, the default, `deployment`, `daemonset` or `job`. */
  type?: string;
  /** How many pods a deployment has. */
  replicas?: number;
  /** Write the annotations that only Podman reads, too. */
  podmanOnly?: boolean;
}

/** A pod of a document. */
export interface GeneratedPod {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  spec: Part;
  /** The restart policy as asked for of the pod, or of the containers that are in none. */
  restartPolicy?: RestartPolicy;
  /** The ports of its containers. */
  ports: Part[];
  notes: string[];
}

const POLICIES: Readonly<Record<RestartPolicy["name"], string>> = {
  always: "Always",
  "unless-stopped": "Always",
  "on-failure": "OnFailure",
  no: "Never",
};

/** The policies that start something again, those that do it more often first. */
const STRENGTH: readonly RestartPolicy["name"][] = ["always", "unless-stopped", "on-failure"];

/** The parts of a pod that its infra container has, or containers of their own. */
interface PodSubject {
  /** The pod's name in the document. */
  name: string;
  /** Without its infra container. */
  members: readonly ContainerRecord[];
  /** The containers whose networks, names and kernel settings are the pod's. */
  holders: readonly ContainerRecord[];
  pod?: PodRecord;
  restartPolicy?: RestartPolicy;
  hostname?: string;
}

/** Writes a pod of the engine. Throws `invalid` for one without containers. */
export function generateFromPod(parts: KubeParts, pod: PodRecord, options: GenerateOptions): Promise<GeneratedPod> {
  const all = parts.pods.membersOf(pod);
  if (all.length === 0) throw new EngineError("invalid", `pod ${pod.id} has no containers`);
  const members = all.filter(({ id }) => id !== pod.infraID);
  if (members.length === 0) throw new EngineError("invalid", `pod ${pod.id} only has an infra container`);
  const infra = all.find(({ id }) => id === pod.infraID);
  return generatePod(parts, {
    name: kubeName(pod.name.replaceAll("_", "")),
    members,
    holders: infra ? [infra] : members,
    pod,
    restartPolicy: pod.restartPolicy ?? strongestPolicy(members),
    hostname: pod.hostname === pod.name ? undefined : pod.hostname,
  }, options);
}

/** A pod that was made without a policy leaves it to its containers; a document has one for all of them. */
function strongestPolicy(members: readonly ContainerRecord[]): RestartPolicy | undefined {
  const policies = members.flatMap(({ spec }) => spec.restartPolicy ?? []);
  return STRENGTH.flatMap((name) => policies.find((policy) => policy.name === name) ?? []).at(0);
}

/** Writes containers that are in no pod as one. Throws `invalid` for one that is in a pod, or has no image. */
export function generateFromContainers(
  parts: KubeParts,
  members: readonly ContainerRecord[],
  options: GenerateOptions,
): Promise<GeneratedPod> {
  for (const { id, spec } of members) {
    if (spec.pod !== undefined) {
      throw new EngineError(
        "invalid",
        `container ${id} is associated with pod ${spec.pod}: use generate on the pod itself`,
      );
    }
    if (spec.rootfs) throw new EngineError("invalid", "k8s does not support Rootfs");
  }
  const [first] = members;
  return generatePod(parts, {
    name: `${containerName(first)}-pod`,
    members,
    holders: members,
    restartPolicy: first.spec.restartPolicy,
    hostname: members.map(({ spec }) => spec.hostname).find((name) => name),
  }, options);
}

/** The name of a container in a document: that of its pod, which is before it in the engine, is left out. */
function containerName({ name }: ContainerRecord, pod = ""): string {
  const own = pod !== "" && name.startsWith(`${pod}-`) ? name.slice(pod.length + 1) : name;
  return kubeName(own.replaceAll("_", "")) || "container";
}

async function generatePod(parts: KubeParts, subject: PodSubject, options: GenerateOptions): Promise<GeneratedPod> {
  const { name, members, holders, pod } = subject;
  const inits: Part[] = [];
  const mains: Part[] = [];
  const volumes = new Map<string, Part>();
  const annotations = podAnnotations(subject, options);
  const notes: string[] = [];
  const ports: Part[] = [];
  const names = new Set<string>();
  for (const record of members) {
    const own = uniqueName(containerName(record, pod?.name), names);
    // A pod's ports are those of its first container in a document.
    const isFirst = mains.length === 0 && record.spec.initContainer === undefined;
    const mappings = pod === undefined ? record.ports : isFirst ? holders.flatMap(({ ports }) => ports) : [];
    const generated = await generateContainer(record, {
      ...{ pod: name, name: own, ports: mappings, withService: options.service ?? false },
      image: parts.images.exists(record.imageID) ? parts.images.resolve(record.imageID).config : undefined,
      volume: (volume) => parts.volumes.exists(volume) ? parts.volumes.resolve(volume) : undefined,
      files: parts.hasHost() ? parts.files() : undefined,
    });
    (record.spec.initContainer === undefined ? mains : inits).push(generated.container);
    for (const [key, volume] of generated.volumes) volumes.set(key, volume);
    Object.assign(annotations, generated.annotations);
    notes.push(...generated.notes);
    ports.push(...generatePorts(mappings, true));
  }
  const grace = members.map(({ stopTimeout }) => stopTimeout).find((time) =>
    time !== (parts.usualGrace ?? USUAL_GRACE)
  );
  return {
    name,
    labels: { app: name, ...pod?.labels },
    annotations,
    restartPolicy: pod === undefined ? subject.restartPolicy : pod.restartPolicy,
    ports,
    notes,
    spec: {
      ...inits.length > 0 && { initContainers: inits },
      containers: mains,
      ...volumes.size > 0 && { volumes: [...volumes.values()] },
      restartPolicy: POLICIES[subject.restartPolicy?.name ?? "no"],
      ...subject.hostname && { hostname: subject.hostname },
      ...grace !== undefined && { terminationGracePeriodSeconds: grace },
      ...generateNamespaces(holders, pod),
      ...generateNames(holders),
      ...generateContext(members, holders),
    },
  };
}

/** Seconds that a container gets to stop where nobody says another time. */
const USUAL_GRACE = 10;

function uniqueName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 1; taken.has(name); count++) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}

function generateNamespaces(holders: readonly ContainerRecord[], pod: PodRecord | undefined): Part {
  const isHost = (kind: "network" | "pid" | "ipc") =>
    holders.every(({ spec }) => spec.namespaces[kind].mode === "host");
  const hasUsers = holders.some(({ idMaps }) => idMaps !== undefined);
  return {
    ...isHost("network") && { hostNetwork: true },
    ...isHost("pid") && { hostPID: true },
    ...isHost("ipc") && { hostIPC: true },
    ...pod?.shared.includes("pid") && !isHost("pid") && { shareProcessNamespace: true },
    ...hasUsers && { hostUsers: false },
  };
}

function generateNames(holders: readonly ContainerRecord[]): Part {
  const union = (pick: (record: ContainerRecord) => readonly string[]) => [...new Set(holders.flatMap(pick))];
  const hosts = new Map<string, string[]>();
  for (const entry of union(({ spec }) => spec.hosts)) {
    const [, host, address] = /^([^:]+):(.*)$/.exec(entry) ?? [];
    if (host !== undefined) hosts.set(address, [...hosts.get(address) ?? [], host]);
  }
  const nameservers = union(({ spec }) => spec.dnsServers);
  const searches = union(({ spec }) => spec.dnsSearch);
  const options = union(({ spec }) => spec.dnsOptions).map((option) => {
    const [name, value] = option.split(/:(.*)/s);
    return { name, ...value !== undefined && { value } };
  });
  const config = {
    ...nameservers.length > 0 && { nameservers },
    ...searches.length > 0 && { searches },
    ...options.length > 0 && { options },
  };
  return {
    ...hosts.size > 0 && { hostAliases: [...hosts].map(([ip, hostnames]) => ({ ip, hostnames })) },
    ...Object.keys(config).length > 0 && { dnsConfig: config },
  };
}

function generateContext(members: readonly ContainerRecord[], holders: readonly ContainerRecord[]): Part {
  const groups = [...new Set(members.flatMap(({ spec }) => spec.groups))].filter((group) => /^\d+$/.test(group));
  const sysctls = Object.entries(Object.assign({}, ...holders.map(({ spec }) => spec.sysctl)));
  const context = {
    ...groups.length > 0 && { supplementalGroups: groups.map(Number) },
    ...sysctls.length > 0 && { sysctls: sysctls.map(([name, value]) => ({ name, value })) },
  };
  return Object.keys(context).length > 0 ? { securityContext: context } : {};
}

/** Annotations that only the engine itself has a use for. */
const RESERVED = /^(?:io\.podman\.|io\.container\.|io\.kubernetes\.cri-o\.)/;

function podAnnotations({ members, pod, holders }: PodSubject, { podmanOnly = false }: GenerateOptions) {
  const annotations: Record<string, string> = {};
  const all = members.map((member) => [member, member.spec.annotations] as const);
  for (const [member, own] of all) {
    for (const [key, value] of Object.entries(own)) {
      if (key.startsWith("io.kubernetes.cri-o.") || (!podmanOnly && RESERVED.test(key))) continue;
      const isCommon = all.every(([, other]) => Object.hasOwn(other, key) && other[key] === value);
      annotations[isCommon ? key : `${key}/${containerName(member, pod?.name)}`] = value;
    }
  }
  const [infra] = holders;
  if (pod?.infraID && infra.name !== `${pod.id.slice(0, 12)}-infra`) annotations[ANNOTATIONS.infraName] = infra.name;
  if (members.some(({ spec }) => spec.initContainer === "always")) annotations[ANNOTATIONS.initType] = "always";
  const limits = members.flatMap(({ spec }) =>
    spec.rlimits.map(({ type, soft, hard }) => {
      return `${type.replace(/^RLIMIT_/, "").toLowerCase()}=${limitText(soft)}:${limitText(hard)}`;
    })
  );
  if (limits.length > 0) annotations[ANNOTATIONS.rlimits] = [...new Set(limits)].join(",");
  return annotations;
}

function limitText(limit: bigint): string {
  return limit >= 2n ** 64n - 1n ? "-1" : String(limit);
}
