/**
 * A request for a pod becomes its record and the request for its infra container. No part of this reaches a host.
 *
 * @module
 */
import { canPublish, limitsConflict } from "../containers/create/validate.ts";
import type { ContainerRequest } from "../containers/request/container_request.ts";
import { POD_NAMESPACES, type PodNamespace, type PodRecord } from "../records/pod_record.ts";
import { exclusivePod } from "./pod_errors.ts";
import type { PodRequest } from "./pod_request.ts";
import { invalid } from "../errors.ts";

/** The namespaces that are shared where a request names none. */
const DEFAULT_SHARED: readonly PodNamespace[] = ["ipc", "net", "uts"];

/** The longest hostname that the kernel takes, less one for programs that count its end. */
const LONGEST_HOSTNAME = 63;

/** The program of an infra container without an image, which the host puts into its tree. */
export const PAUSE_COMMAND: readonly string[] = ["/catatonit", "-P"];

/** The facts of a pod that its request does not decide. */
export interface PodFacts {
  id: string;
  name: string;
  created: number;
  infraID: string;
  /** The place of its cgroup; absent without a host. */
  group?: { parent: string; path: string };
  /** The service container's ID. */
  serviceContainer?: string;
}

/** Throws `invalid`, in Podman's words, for a request that contradicts itself. */
export function checkPodRequest(request: PodRequest): void {
  const { infra, container = {}, shared = [], cgroupParent = "", resources = {} } = request;
  if (/\.slice\/*$/.test(cgroupParent)) {
    throw invalid("systemd slice received as cgroup parent when using cgroupfs", "invalid argument");
  }
  if (cgroupParent.includes("\0")) throw invalid("invalid cgroup parent");
  const conflict = limitsConflict(resources);
  if (conflict !== undefined) throw invalid(conflict);
  const { network } = container.namespaces ?? {};
  if (infra === false) {
    if (shared.length > 0) throw exclusivePod("infra", "shared");
    if (network !== undefined) throw invalid("NoInfra and network modes cannot be used together");
    if (Object.keys(container.networks ?? {}).length > 0) {
      throw invalid("cannot set networks options without infra container");
    }
    for (const field of ["dnsOptions", "dnsSearch", "dnsServers", "hosts"] as const) {
      if (container[field]?.length) throw exclusivePod("infra", field);
    }
    if (container.baseHosts) throw exclusivePod("infra", "baseHosts");
    if (container.noResolvConf) throw exclusivePod("infra", "noResolvConf");
    if (container.ports?.length) throw exclusivePod("infra", "ports");
  }
  if (container.ports?.length && network !== undefined && !canPublish(network.mode)) {
    throw invalid("PortMappings can only be used with Bridge or pasta networking");
  }
  for (const field of ["dnsServers", "dnsSearch", "dnsOptions"] as const) {
    if (container.noResolvConf && container[field]?.length) throw exclusivePod("noResolvConf", field);
  }
  if (container.noHosts && container.hosts?.length) throw exclusivePod("noHosts", "hosts");
  if (container.noHosts && container.baseHosts) throw exclusivePod("noHosts", "baseHosts");
  const hasOther = network?.mode === "host" || network?.mode === "none";
  if (hasOther && Object.keys(container.networks ?? {}).length > 0) {
    const verb = network.mode === "host" ? "set host network" : "disable pod network";
    throw invalid(`cannot ${verb} if network-related configuration is specified`, "invalid argument");
  }
}

/** Makes a pod's record. Throws `invalid` for a word that is none. */
export function draftPod(request: PodRequest, { group, serviceContainer, ...facts }: PodFacts): PodRecord {
  const { exitPolicy = "continue", ownsCgroup = true, hostname, restartPolicy } = request;
  if (exitPolicy !== "continue" && exitPolicy !== "stop") {
    throw invalid(`invalid pod exit policy: "${exitPolicy}"`);
  }
  return {
    ...facts,
    ...hostname && { hostname },
    labels: request.labels ?? {},
    shared: facts.infraID === "" ? [] : sharedNamespaces(request),
    exitPolicy,
    ...restartPolicy && { restartPolicy },
    cgroupParent: group?.parent ?? "",
    cgroupPath: ownsCgroup ? group?.path ?? "" : "",
    resources: request.resources ?? {},
    createCommand: request.createCommand ?? [],
    ...serviceContainer && { serviceContainer },
    ...request.job && { job: request.job },
  };
}

/** Makes the request for the infra container of a pod. */
export function infraRequest({ infra, container = {}, restartPolicy }: PodRequest, pod: PodRecord): ContainerRequest {
  const { name, image = "", command, conmonPidFile } = infra || {};
  const { ipc, uts } = container.namespaces ?? {};
  const own = image === "" ? [...PAUSE_COMMAND] : undefined;
  const isOwnName = uts === undefined || uts.mode === "private";
  return {
    ...container,
    name: name ?? `${pod.id.slice(0, 12)}-infra`,
    image,
    entrypoint: command?.length ? command : own,
    // The owner's choices are for containers that do something.
    init: false,
    systemd: "false",
    hostname: isOwnName ? (pod.hostname ?? pod.name).slice(0, LONGEST_HOSTNAME) : undefined,
    labels: pod.labels,
    namespaces: { ...container.namespaces, ipc: shareableIPC(ipc, pod.shared) },
    restartPolicy,
    conmonPidFile,
    cgroupParent: pod.cgroupPath || undefined,
    pod: pod.id,
    infra: true,
  };
}

/** Others join the namespace only where it is made for that. */
function shareableIPC<T extends { mode: string }>(ipc: T | undefined, shared: readonly PodNamespace[]) {
  const isPrivate = ipc === undefined || ipc.mode === "private";
  return isPrivate && shared.includes("ipc") ? { mode: "shareable" as const } : ipc;
}

function sharedNamespaces({ shared = DEFAULT_SHARED, container }: PodRequest): PodNamespace[] {
  const words = new Set(shared.includes("none") ? [] : shared);
  if (words.has("mnt")) throw invalid("mount sharing functionality not supported on pod level");
  const unknown = [...words].find((word) => word !== "" && !POD_NAMESPACES.some((name) => name === word));
  if (unknown !== undefined) {
    const options = "cgroup, ipc, net, pid, uts or none";
    throw invalid(`invalid kernel namespace to share: ${unknown}. Options are: ${options}`);
  }
  const user = container?.namespaces?.user;
  const sharesUser = user !== undefined && user.mode !== "host";
  return POD_NAMESPACES.filter((name) => name === "user" ? sharesUser : words.has(name));
}
