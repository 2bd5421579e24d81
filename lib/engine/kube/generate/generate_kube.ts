import { EngineError } from "../../errors.ts";
import { VERSION } from "../../info.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { PodRecord } from "../../records/pod_record.ts";
import type { VolumeRecord } from "../../records/volume_record.ts";
import type { KubeParts } from "../kube_parts.ts";
import { VOLUME_ANNOTATIONS } from "../read/read_objects.ts";
import { writeYAML } from "../read/read_yaml.ts";
import { kubeName, type Part } from "./generate_mounts.ts";
import { type GeneratedPod, generateFromContainers, generateFromPod, type GenerateOptions } from "./generate_pod.ts";

const HEADER = `# Save the output of this file and use kubectl create -f to import
# it into Kubernetes.
#
# Created with gantry-${VERSION}
`;

const SHARING =
  `# NOTE: The pod shares other namespaces than pods do in Kubernetes by default: there it may behave in another way.
`;

/** The ports that Kubernetes gives to services. */
const FIRST_NODE_PORT = 30000;
const NODE_PORTS = 2768;

/** Writes the documents of containers, pods and volumes. See `Kube.generate()`. */
export async function generateKube(
  parts: KubeParts,
  names: readonly string[],
  options: GenerateOptions = {},
): Promise<string> {
  const found = findObjects(parts, names);
  const { type = "pod" } = options;
  const write = WORKLOADS[type];
  if (!Object.hasOwn(WORKLOADS, type)) {
    const text = "invalid generation type - only pods, deployments, jobs, and daemonsets are currently supported";
    throw new EngineError("invalid", `${text}: ${type}`);
  }
  const pods: GeneratedPod[] = [];
  for (const pod of found.pods) pods.push(await generateFromPod(parts, pod, options));
  if (found.containers.length > 0) pods.push(await generateFromContainers(parts, found.containers, options));
  const created = new Date(parts.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const documents = [
    ...found.volumes.map((volume) => generateClaim(volume, created)),
    ...options.service ? pods.map((pod) => generateService(pod, created)) : [],
    ...pods.map((pod) => write(pod, created, options)),
  ];
  const isOther = found.pods.some(({ shared }) =>
    !["ipc", "net", "uts"].every((name) => shared.some((one) => one === name))
  );
  const notes = pods.flatMap(({ notes }) => notes).map((note) => `# NOTE: ${note.replaceAll(/[\r\n]+/g, " ")}\n`);
  return HEADER + (isOther ? SHARING : "") + notes.join("") + documents.map(writeYAML).join("---\n");
}

interface Found {
  containers: ContainerRecord[];
  pods: PodRecord[];
  volumes: VolumeRecord[];
}

function findObjects(parts: KubeParts, names: readonly string[]): Found {
  const found: Found = { containers: [], pods: [], volumes: [] };
  for (const name of names) {
    if (parts.containers.exists(name)) found.containers.push(parts.containers.resolve(name));
    else if (parts.pods.exists(name)) found.pods.push(parts.pods.resolve(name));
    else if (parts.volumes.exists(name)) found.volumes.push(parts.volumes.resolve(name));
    else throw new EngineError("invalid", `name or ID "${name}" not found`);
  }
  return found;
}

type WriteWorkload = (pod: GeneratedPod, created: string, options: GenerateOptions) => Part;

const WORKLOADS: Readonly<Record<string, WriteWorkload>> = {
  pod: (pod, created) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadataOf(pod, created, pod.name),
    spec: pod.spec,
  }),
  deployment(pod, created, { replicas = 1 }) {
    requireAlways(pod, "Deployments");
    const count = replicas > 1 ? { replicas } : {};
    return wrapPod(pod, created, { version: "apps/v1", kind: "Deployment", spec: { ...count, ...selectorOf(pod) } });
  },
  daemonset(pod, created, { replicas = 1 }) {
    requireAlways(pod, "DaemonSets");
    if (replicas > 1) throw new EngineError("invalid", "k8s DaemonSets don't allow setting replicas");
    return wrapPod(pod, created, { version: "apps/v1", kind: "DaemonSet", spec: selectorOf(pod) });
  },
  job(pod, created) {
    if (pod.spec.restartPolicy === "Always") {
      const text = "k8s Jobs can not have restartPolicy set to Always; only Never and OnFailure policies allowed";
      throw new EngineError("invalid", text);
    }
    return wrapPod(pod, created, { version: "batch/v1", kind: "Job", spec: { completions: 1, parallelism: 1 } });
  },
};

/** Pods of these are always started again: one that says nothing else fits. */
function requireAlways({ restartPolicy }: GeneratedPod, kind: string): void {
  const policy = restartPolicy?.name ?? "always";
  if (policy === "always" || policy === "unless-stopped") return;
  throw new EngineError("invalid", `k8s ${kind} can only have restartPolicy set to Always`);
}

function selectorOf({ labels: { app } }: GeneratedPod): Part {
  return { selector: { matchLabels: { app } } };
}

function metadataOf({ labels, annotations }: GeneratedPod, creationTimestamp: string, name: string): Part {
  return { creationTimestamp, labels, ...Object.keys(annotations).length > 0 && { annotations }, name };
}

function wrapPod(
  pod: GeneratedPod,
  created: string,
  { version, kind, spec }: { version: string; kind: string; spec: Part },
): Part {
  const policy = kind === "Job" ? pod.spec.restartPolicy : "Always";
  return {
    apiVersion: version,
    kind,
    metadata: { creationTimestamp: created, labels: pod.labels, name: `${pod.name}-${kind.toLowerCase()}` },
    spec: {
      ...spec,
      template: { metadata: metadataOf(pod, created, pod.name), spec: { ...pod.spec, restartPolicy: policy } },
    },
  };
}

function generateService({ name, labels, ports }: GeneratedPod, creationTimestamp: string): Part {
  const taken = new Set<number>();
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { creationTimestamp, labels, name },
    spec: {
      ...ports.length > 0 && {
        ports: ports.map(({ containerPort, protocol }) => ({
          name: `${containerPort}${protocol ? `-${String(protocol).toLowerCase()}` : ""}`,
          nodePort: nodePort(Number(containerPort), taken),
          port: containerPort,
          ...protocol !== undefined && { protocol },
          targetPort: containerPort,
        })),
      },
      selector: { app: labels.app },
      type: "NodePort",
    },
  };
}

/** The same port of a pod has the same port of the cluster, as far as that is free. */
function nodePort(port: number, taken: Set<number>): number {
  let offset = port % NODE_PORTS;
  while (taken.has(offset)) offset = (offset + 1) % NODE_PORTS;
  taken.add(offset);
  return FIRST_NODE_PORT + offset;
}

function generateClaim({ name, labels, options, owner }: VolumeRecord, creationTimestamp: string): Part {
  const { driver, device, type, options: mountOptions, uid, gid } = VOLUME_ANNOTATIONS;
  const annotations = {
    [driver]: "local",
    ...options.device && { [device]: options.device },
    ...options.type && { [type]: options.type },
    ...options.o && { [mountOptions]: options.o },
    ...owner?.uid !== undefined && { [uid]: String(owner.uid) },
    ...owner?.gid !== undefined && { [gid]: String(owner.gid) },
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      annotations,
      creationTimestamp,
      ...Object.keys(labels).length > 0 && { labels },
      name: kubeName(name),
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}
