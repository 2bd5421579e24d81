/**
 * The objects that make pods, and how many of them.
 *
 * @module
 */
import type { RestartPolicy } from "../../records/container_record.ts";
import type { JobPart } from "../../records/pod_record.ts";
import type { ContainerPlan, PodPlan } from "../pod_plan.ts";
import type { KubeObject } from "./documents.ts";
import type { Fields } from "./fields.ts";
import { readPod } from "./read_pod.ts";

/** The pods of one object. */
export interface Workload {
  /** Pods that are to be there, in order. */
  pods: PodPlan[];
  /** How many of them run at the same time; absent: all. */
  parallel?: number;
  /** Milliseconds that a pod has to be ready before the next one is replaced. */
  readyTimeout?: number;
}

/** Milliseconds that a pod of a deployment has to be ready where nothing is said, as in Kubernetes. */
const READY_TIMEOUT = 600_000;
/** The most pods that one object may make here. */
const MOST_PODS = 100;

const ERRORS: Readonly<Record<string, string>> = {
  Pod: "pod does not have a name",
  Deployment: "deployment does not have a name",
  DaemonSet: "daemonSet does not have a name",
  Job: "job does not have a name",
};

/**
 * Reads the pods of a Pod, Deployment, DaemonSet or Job. The first pod of a `web` that is no Pod is `web-pod`, as Podman has it; the
 * others are `web-pod-1`, `web-pod-2`, …
 *
 * @param taken Names of config maps and claims beside it ({@linkcode takenNames})
 * @param more Annotations that the pods get besides
 */
export function readWorkload(
  object: KubeObject,
  taken: ReadonlySet<string>,
  more: Readonly<Record<string, string>> = {},
): Workload {
  const { kind, fields, metadata } = object;
  if (object.name === "") throw fields.fail("metadata.name", `is missing: ${ERRORS[kind]}`);
  const spec = fields.needInner("spec");
  if (kind === "Pod") {
    return { pods: [readPod({ name: object.name, metadata, spec, annotations: more, taken })] };
  }
  metadata.skip("labels");
  const template = spec.needInner("template");
  const templateMetadata = template.inner("metadata") ?? template;
  templateMetadata.skip("name", "namespace", "creationTimestamp");
  const annotations = { ...metadata.map("annotations"), ...more };
  const counts = countPods(spec, kind);
  const pods = podNames(object.name, counts.total).map((name) =>
    readPod({ name, metadata: templateMetadata, spec: template.needInner("spec"), annotations, taken })
  );
  const alone = withOneHostPort(spec, pods);
  if (counts.parallel === undefined) return { pods: alone, readyTimeout: counts.readyTimeout };
  const job = { name: object.name, parallel: counts.parallel, endsOnFailure: counts.retries !== undefined };
  const mode = spec.word("completionMode", ["NonIndexed", "Indexed"]);
  return {
    pods: alone.map((pod, index) => jobPod(pod, job, counts.retries, mode === "Indexed" ? index : undefined)),
    parallel: counts.parallel,
  };
}

/** The names of volumes that config maps and claims of a text become. */
export function takenNames(objects: readonly KubeObject[]): Set<string> {
  const isVolume = ({ kind }: KubeObject) => kind === "ConfigMap" || kind === "PersistentVolumeClaim";
  return new Set(objects.filter(isVolume).map(({ name }) => name));
}

/** The names of an object's pods. */
function podNames(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-pod${index === 0 ? "" : `-${index}`}`);
}

interface Counts {
  total: number;
  /** Of a deployment: see {@linkcode Workload}. */
  readyTimeout?: number;
  /** Of a job: the pods that run together. */
  parallel?: number;
  /** Of a job: how often a container that fails is started again. */
  retries?: number;
}

function countPods(spec: Fields, kind: KubeObject["kind"]): Counts {
  spec.skip("selector", "revisionHistoryLimit");
  if (kind === "Deployment") {
    readStrategy(spec, "strategy", ["RollingUpdate", "Recreate"]);
    spec.skip("paused");
    const seconds = spec.number("progressDeadlineSeconds", 1);
    const readyTimeout = seconds === undefined ? READY_TIMEOUT : seconds * 1000;
    return { total: spec.number("replicas", 0, MOST_PODS) ?? 1, readyTimeout };
  }
  if (kind === "DaemonSet") {
    readStrategy(spec, "updateStrategy", ["RollingUpdate", "OnDelete"]);
    return { total: 1 };
  }
  const parallel = spec.number("parallelism", 0, MOST_PODS) ?? 1;
  // Without a number of completions there are as many pods as run together.
  const total = spec.number("completions", 1, MOST_PODS) ?? Math.max(1, parallel);
  return { total, parallel, retries: spec.number("backoffLimit") };
}

/** Variable and annotation by which a pod of an indexed job knows its place. */
const INDEX = { variable: "JOB_COMPLETION_INDEX", annotation: "batch.kubernetes.io/job-completion-index" };

/** Makes a pod one of a job's: failures are bounded, and its place is told where pods are to know it. */
function jobPod(pod: PodPlan, job: JobPart, retries: number | undefined, index: number | undefined): PodPlan {
  const bounded = { ...pod, request: { ...pod.request, job }, restartPolicy: boundPolicy(pod.restartPolicy, retries) };
  if (index === undefined) return bounded;
  const value = { kind: "text", text: String(index) } as const;
  const variable = { name: INDEX.variable, value, place: INDEX.variable };
  const tell = (container: ContainerPlan) => ({ ...container, env: [...container.env, variable] });
  return {
    ...bounded,
    annotations: { ...bounded.annotations, [INDEX.annotation]: String(index) },
    initContainers: bounded.initContainers.map(tell),
    containers: bounded.containers.map(tell),
  };
}

/** Kubernetes puts another pod in the place of a failed one; here its containers are started again. */
function boundPolicy(policy: RestartPolicy, retries: number | undefined): RestartPolicy {
  if (retries === undefined || policy.name === "always") return policy;
  return retries === 0 ? { name: "no" } : { name: "on-failure", retries };
}

/** Pods are replaced one after the other, which fits every strategy. */
function readStrategy(spec: Fields, key: string, words: readonly string[]): void {
  const strategy = spec.inner(key);
  strategy?.word("type", words);
  const rolling = strategy?.inner("rollingUpdate");
  rolling?.skip("maxUnavailable");
  if (rolling?.has("maxSurge")) {
    rolling.note("maxSurge", "it is not honoured: a pod goes before the one in its place comes");
  }
}

/** On one host a port is only one pod's: the first has it. */
function withOneHostPort(spec: Fields, pods: PodPlan[]): PodPlan[] {
  if (pods.length < 2) return pods;
  const withoutPorts = pods.slice(1).map((pod) => ({
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      ports: container.ports.map((port) => ({ ...port, hostPort: 0 })),
    })),
  }));
  const has = pods[0].containers.some(({ ports }) => ports.some(({ hostPort }) => hostPort > 0));
  if (has) spec.note("template.spec.containers", "only the first of several pods has the host's ports");
  return [pods[0], ...withoutPorts];
}
