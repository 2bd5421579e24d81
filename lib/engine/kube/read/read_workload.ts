/**
 * The objects that make pods, and how many of them.
 *
 * @module
 */
import type { PodPlan } from "../pod_plan.ts";
import type { KubeObject } from "./documents.ts";
import type { Fields } from "./fields.ts";
import { readPod } from "./read_pod.ts";

/** The pods of one object. */
export interface Workload {
  /** Pods that are to be there, in order. */
  pods: PodPlan[];
  /** How many of them run at the same time; absent: all. */
  parallel?: number;
  /** Pods run to their end, and failed ones are not replaced by others. */
  isJob: boolean;
}

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
 * @param more Annotations that the pods get besides
 */
export function readWorkload(object: KubeObject, more: Readonly<Record<string, string>> = {}): Workload {
  const { kind, fields, metadata } = object;
  if (object.name === "") throw fields.fail("metadata.name", `is missing: ${ERRORS[kind]}`);
  const spec = fields.needInner("spec");
  if (kind === "Pod") {
    return { pods: [readPod({ name: object.name, metadata, spec, annotations: more })], isJob: false };
  }
  metadata.skip("labels");
  const template = spec.needInner("template");
  const templateMetadata = template.inner("metadata") ?? template;
  templateMetadata.skip("name", "namespace", "creationTimestamp");
  const annotations = { ...metadata.map("annotations"), ...more };
  const counts = countPods(spec, kind);
  const pods = podNames(object.name, counts.total).map((name) =>
    readPod({ name, metadata: templateMetadata, spec: template.needInner("spec"), annotations })
  );
  return {
    pods: withOneHostPort(spec, pods),
    ...counts.parallel !== undefined && { parallel: counts.parallel },
    isJob: kind === "Job",
  };
}

/** The names of an object's pods. */
export function podNames(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-pod${index === 0 ? "" : `-${index}`}`);
}

function countPods(spec: Fields, kind: KubeObject["kind"]): { total: number; parallel?: number } {
  spec.skip("selector", "revisionHistoryLimit");
  if (kind === "Deployment") {
    readStrategy(spec, "strategy", ["RollingUpdate", "Recreate"]);
    spec.skip("paused");
    return { total: spec.number("replicas", 0, MOST_PODS) ?? 1 };
  }
  if (kind === "DaemonSet") {
    readStrategy(spec, "updateStrategy", ["RollingUpdate", "OnDelete"]);
    return { total: 1 };
  }
  const total = spec.number("completions", 1, MOST_PODS) ?? 1;
  const parallel = spec.number("parallelism", 0, MOST_PODS) ?? 1;
  const mode = spec.word("completionMode", ["NonIndexed", "Indexed"]);
  if (mode === "Indexed") spec.note("completionMode", "it is not honoured: pods do not know their index");
  return { total, parallel };
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
