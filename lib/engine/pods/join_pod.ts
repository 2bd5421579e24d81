import type { ContainerRequest, MemberRequest } from "../containers/request/container_request.ts";
import type { ContainerRecord, NamespaceMode } from "../records/container_record.ts";
import type { PodNamespace, PodRecord } from "../records/pod_record.ts";
import { invalid } from "../errors.ts";

/** The pod that a container joins, with its infra container where it has one. */
export interface JoinedPod {
  record: PodRecord;
  infra?: ContainerRecord;
}

type Kind = keyof ContainerRecord["spec"]["namespaces"];

/** The names of the kinds of namespaces when a pod shares them. */
const SHARED: Record<Kind, PodNamespace> = {
  network: "net",
  pid: "pid",
  ipc: "ipc",
  uts: "uts",
  cgroup: "cgroup",
  user: "user",
};

const KINDS: readonly Kind[] = ["network", "pid", "ipc", "uts", "cgroup", "user"];

const BAD_ARGUMENT = "invalid argument";
const BAD_CONFIG = "invalid configuration";
const ON_POD = "network cannot be configured when it is shared with a pod";

/**
 * Completes a request by the pod that the container joins: namespaces, mounts, devices and confinement of the infra container,
 * the pod's restart policy and its cgroup, wherever the request leaves them open. Without a pod it is returned as it is.
 *
 * Throws `invalid`, in Podman's words, for what contradicts the pod.
 *
 * Source: `MakeContainer` and `namespaceOptions` of Podman's `pkg/specgen/generate`.
 */
export function joinPod(request: MemberRequest, pod?: JoinedPod): ContainerRequest {
  if (pod === undefined && request.initContainer !== undefined) {
    throw invalid("init containers must be created in a pod", BAD_ARGUMENT);
  }
  const namespaces = chooseNamespaces(request, pod);
  const plain = { ...request, namespaces };
  if (pod === undefined) return plain;
  const { record, infra } = pod;
  const isShared = (kind: Kind) => isFromPod(request, pod, kind);
  if (isShared("network")) checkNetwork(request);
  const hostname = isShared("uts") ? sharedHostname(request, record) : request.hostname;
  const isInit = request.initContainer !== undefined;
  return {
    ...plain,
    pod: record.id,
    hostname,
    restartPolicy: request.restartPolicy ?? (isInit ? undefined : record.restartPolicy),
    cgroupParent: request.cgroupParent ??
      (request.cgroupsMode === "disabled" ? undefined : record.cgroupPath || undefined),
    ...infra && inheritFrom(request, infra),
  };
}

function chooseNamespaces(request: MemberRequest, pod: JoinedPod | undefined): ContainerRequest["namespaces"] {
  const chosen: NonNullable<ContainerRequest["namespaces"]> = {};
  for (const kind of KINDS) {
    const asked = request.namespaces?.[kind];
    if (asked?.mode === "pod" && pod?.infra === undefined) {
      const text = "cannot use pod namespace as container is not joining a pod or pod has no infra container";
      throw invalid(text, BAD_ARGUMENT);
    }
    if (kind === "user" && pod?.infra) checkUsers(asked);
    if (pod?.infra && isFromPod(request, pod, kind)) chosen[kind] = namespaceOf(pod.infra, kind);
    else if (asked !== undefined && asked.mode !== "pod") chosen[kind] = asked;
  }
  return chosen;
}

/** Whether the container gets the pod's namespace: because it asks for it, or asks for none and the pod shares it. */
function isFromPod({ namespaces }: MemberRequest, { record, infra }: JoinedPod, kind: Kind): boolean {
  if (infra === undefined) return false;
  const mode = namespaces?.[kind]?.mode;
  return mode === "pod" || (mode === undefined && record.shared.includes(SHARED[kind]));
}

/** A namespace that is the host's is nobody's to share. */
function namespaceOf({ id, spec }: ContainerRecord, kind: Kind): NamespaceMode {
  const mode = spec.namespaces[kind]?.mode ?? "host";
  return mode === "host" ? { mode } : { mode: "container", value: id };
}

/** Shared files and sockets belong to users that all of the pod must mean the same by. */
function checkUsers(asked: { mode: string } | undefined): void {
  if (asked === undefined || ["pod", "host", "container"].includes(asked.mode)) return;
  throw invalid("cannot set user namespace mode when joining pod with infra container", BAD_ARGUMENT);
}

function checkNetwork({ networks = {}, ports = [], publishImagePorts, hosts = [] }: MemberRequest): void {
  if (Object.keys(networks).length > 0) throw invalid("networks must be defined when the pod is created", ON_POD);
  if (ports.length > 0 || publishImagePorts) {
    throw invalid("published or exposed ports must be defined when the pod is created", ON_POD);
  }
  if (hosts.length > 0) throw invalid("extra host entries must be specified on the pod", ON_POD);
}

/** Clients may name the pod, whose hostname it is anyway. */
function sharedHostname({ hostname }: MemberRequest, { name }: PodRecord): undefined {
  if (hostname === undefined || hostname === name) return undefined;
  throw invalid("cannot set hostname when joining the pod UTS namespace", BAD_CONFIG);
}

function inheritFrom(request: MemberRequest, { id, spec, mounts }: ContainerRecord): Partial<ContainerRequest> {
  const { volumesFrom = [], devicesFrom = [] } = request;
  return {
    ...mounts.length > 0 && { volumesFrom: [id, ...volumesFrom] },
    ...spec.devices?.length && { devicesFrom: [id, ...devicesFrom] },
    ...spec.cdiDevices?.length && { cdiDevices: [...spec.cdiDevices, ...request.cdiDevices ?? []] },
    apparmor: request.apparmor ?? spec.apparmor,
    seccomp: request.seccomp ?? spec.seccomp,
    selinux: request.selinux ?? spec.selinux,
    noNewPrivileges: request.noNewPrivileges || spec.noNewPrivileges,
  };
}
