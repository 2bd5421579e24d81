import type { ContainerRequest } from "../../containers/request/container_request.ts";
import type { PodRequest } from "../../pods/pod_request.ts";
import type { RestartPolicy } from "../../records/container_record.ts";
import { parseAddress } from "../../text/ip.ts";
import type { ContainerPlan, PodPlan } from "../pod_plan.ts";
import { ANNOTATIONS, checkAnnotations } from "./annotations.ts";
import type { Fields } from "./fields.ts";
import { readContainer } from "./read_container.ts";
import { readPodSecurity } from "./read_security.ts";
import { readVolumes } from "./read_volumes.ts";

/** The parts of a document that a pod is made of. */
export interface PodDocument {
  /** The pod's name in the engine. */
  name: string;
  metadata: Fields;
  spec: Fields;
  /** Annotations that count besides the pod's own: those of a Deployment, and of the request. */
  annotations: Readonly<Record<string, string>>;
}

const RESTARTS: Readonly<Record<string, RestartPolicy["name"]>> = {
  Always: "always",
  OnFailure: "on-failure",
  Never: "no",
};

/** Reads a pod. Throws `invalid` with object and path for what cannot be. */
export function readPod({ name, metadata, spec, annotations: more }: PodDocument): PodPlan {
  const annotations = { ...metadata.map("annotations"), ...more };
  checkAnnotations(annotations);
  const labels = metadata.map("labels");
  const security = readPodSecurity(spec.inner("securityContext"));
  const volumes = readVolumes(spec, name);
  const policy = RESTARTS[spec.word("restartPolicy", ["Always", "OnFailure", "Never"]) ?? "Always"];
  const parts = {
    ...{ annotations, labels, security, volumes, restarts: policy !== "no" },
    grace: spec.number("terminationGracePeriodSeconds"),
  };
  const initContainers = spec.list("initContainers").map((fields) => {
    const plan = readContainer(fields, parts, true);
    return { ...plan, request: { ...plan.request, initContainer: initType(annotations) } };
  });
  const containers = spec.list("containers").map((fields) => readContainer(fields, parts, false));
  refuseTwins(spec, name, [...initContainers, ...containers]);
  const hostNetwork = spec.flag("hostNetwork") ?? false;
  skipDefaults(spec);
  return {
    ...{ name, labels, annotations, volumes, initContainers, containers, hostNetwork },
    restartPolicy: { name: policy },
    users: annotations[ANNOTATIONS.users] ?? annotations[`${ANNOTATIONS.users}/${name}`] ??
      (spec.flag("hostUsers") === false ? "auto" : undefined),
    ...security.fsGroup !== undefined && { fsGroup: security.fsGroup },
    request: readRequest(spec, { name, labels, annotations, hostNetwork, sysctl: security.sysctl }),
  };
}

/** Fields whose usual values change nothing on a single host. */
function skipDefaults(spec: Fields): void {
  spec.skip("hostUsers", "imagePullSecrets", "automountServiceAccountToken", "enableServiceLinks");
  if (spec.has("imagePullSecrets")) {
    spec.note("imagePullSecrets", "it is not honoured: the request's credentials and the host's are used");
  }
}

interface PodFacts {
  name: string;
  labels: Record<string, string>;
  annotations: Readonly<Record<string, string>>;
  hostNetwork: boolean;
  sysctl: Record<string, string>;
}

function readRequest(spec: Fields, { name, labels, annotations, hostNetwork, sysctl }: PodFacts): PodRequest {
  const sharesPID = spec.flag("shareProcessNamespace") ?? false;
  const hostPID = spec.flag("hostPID") ?? false;
  const hostIPC = spec.flag("hostIPC") ?? false;
  if (sharesPID && hostPID) throw spec.fail("shareProcessNamespace", "cannot be beside hostPID");
  const hostname = spec.text("hostname") || name;
  const host = { mode: "host" } as const;
  const namespaces: ContainerRequest["namespaces"] = {
    ...hostNetwork && { network: host, uts: host },
    ...hostPID && { pid: host },
    ...hostIPC && { ipc: host },
  };
  const infraName = annotations[ANNOTATIONS.infraName];
  return {
    ...{ name, labels },
    hostname: hostNetwork ? undefined : hostname,
    ...infraName && { infra: { name: infraName } },
    shared: ["ipc", "net", "uts", ...sharesPID || hostPID ? ["pid"] : []],
    exitPolicy: "stop",
    container: { namespaces, sysctl, readOnly: true, ...readNames(spec) },
  };
}

/** Reads how names are found: the pod's hosts and servers. */
function readNames(spec: Fields): ContainerRequest {
  const hosts = spec.list("hostAliases").flatMap((alias) => {
    const address = readAddress(alias, "ip", alias.needText("ip"));
    return alias.texts("hostnames").map((host) => `${host}:${address}`);
  });
  const config = spec.inner("dnsConfig");
  const servers = config?.texts("nameservers") ?? [];
  const policy = spec.word("dnsPolicy", ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]);
  if (policy === "None" && servers.length === 0) {
    throw spec.fail("dnsConfig.nameservers", 'must have a server where dnsPolicy is "None"');
  }
  return {
    hosts,
    dnsServers: servers.map((server, index) => readAddress(spec, `dnsConfig.nameservers[${index}]`, server)),
    dnsSearch: config?.texts("searches") ?? [],
    dnsOptions: (config?.list("options") ?? []).map((option) => {
      const value = option.text("value");
      return option.needText("name") + (value ? `:${value}` : "");
    }),
  };
}

function readAddress(fields: Fields, key: string, text: string): string {
  try {
    parseAddress(text);
    return text;
  } catch {
    throw fields.fail(key, `must be an IP address; it is "${text}"`);
  }
}

function initType(annotations: Readonly<Record<string, string>>): "always" | "once" {
  return annotations[ANNOTATIONS.initType] === "always" ? "always" : "once";
}

function refuseTwins(spec: Fields, pod: string, containers: readonly ContainerPlan[]): void {
  const names = new Set<string>();
  for (const { name } of containers) {
    if (names.has(name)) {
      throw spec.fail("containers", `the pod "${pod}" is invalid; duplicate container name "${name}" detected`);
    }
    names.add(name);
  }
}
