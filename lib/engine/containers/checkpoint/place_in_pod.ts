import type { ContainerSpec } from "../../records/container_record.ts";
import { POD_NAMESPACES, type PodNamespace, type PodRecord } from "../../records/pod_record.ts";
import { EngineError } from "../../errors.ts";

/** The kinds of namespaces, by the names that pods share them under, and the words of Podman's errors. */
const KINDS: Record<PodNamespace, { key: keyof ContainerSpec["namespaces"]; words: string }> = {
  cgroup: { key: "cgroup", words: "cgroup" },
  ipc: { key: "ipc", words: "IPC" },
  net: { key: "network", words: "network" },
  pid: { key: "pid", words: "PID" },
  user: { key: "user", words: "user" },
  uts: { key: "uts", words: "UTS" },
};

/** Throws unless a checkpoint of a pod's container is to be restored into a pod, and any other into none. */
export function requireSamePlace(dumped: Pick<ContainerSpec, "pod">, pod: string | undefined): void {
  if (dumped.pod !== undefined && pod === undefined) {
    throw new EngineError("internal", "cannot restore pod container without --pod");
  }
  if (dumped.pod === undefined && pod !== undefined) {
    throw new EngineError("internal", "cannot restore non pod container into pod");
  }
}

/**
 * Puts the spec of a checkpointed container of a pod into another pod: each namespace that it shared is that pod's. Throws `internal`
 * where the pod does not share it.
 *
 * Source: `CRImportCheckpoint` of Podman's `pkg/checkpoint/checkpoint_restore.go`.
 */
export function placeInPod(spec: ContainerSpec, pod: PodRecord): ContainerSpec {
  if (pod.infraID === "") {
    throw new EngineError("internal", `cannot retrieve infra container from pod "${pod.name}": no such container`);
  }
  const namespaces = { ...spec.namespaces };
  for (const name of POD_NAMESPACES) {
    const { key, words } = KINDS[name];
    if (namespaces[key]?.mode !== "container") continue;
    if (!pod.shared.includes(name)) {
      throw new EngineError("internal", `pod ${pod.id} does not share the ${words} namespace`);
    }
    namespaces[key] = { mode: "container", value: pod.infraID };
  }
  const sandbox = "io.kubernetes.cri-o.SandboxID";
  const annotations = sandbox in spec.annotations ? { ...spec.annotations, [sandbox]: pod.infraID } : spec.annotations;
  return { ...spec, pod: pod.id, namespaces, annotations, cgroupParent: pod.cgroupPath || undefined };
}
