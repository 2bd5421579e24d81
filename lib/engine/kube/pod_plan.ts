/**
 * A pod as a Kubernetes document asks for it, in the engine's words, with open places for what only a play knows: the values of config
 * maps and secrets, the images, the pod's own ID.
 *
 * @module
 */
import type { MemberRequest } from "../containers/request/container_request.ts";
import type { PullPolicy } from "../images/types.ts";
import type { PodRequest } from "../pods/pod_request.ts";
import type { PortMapping, RestartPolicy } from "../records/container_record.ts";

/** A key of a config map or a secret. */
export interface KeyReference {
  kind: "configMap" | "secret";
  /** The name of the config map or secret. */
  name: string;
  key: string;
  /** Nothing is made of one that is not there. */
  optional: boolean;
}

/** The value of a variable. */
export type EnvValue =
  | { kind: "text"; text: string }
  | KeyReference
  /** A field of the pod: `metadata.name`, `status.podIP`, … */
  | { kind: "field"; path: string }
  /** A limit or request of the container: `limits.memory`, … */
  | { kind: "resource"; resource: string; divisor: string };

/** A variable of a container. */
export interface EnvPlan {
  name: string;
  value: EnvValue;
  /** The place in the document, for errors. */
  place: string;
}

/** All keys of a config map or a secret as variables. */
export interface EnvFromPlan {
  kind: "configMap" | "secret";
  name: string;
  prefix: string;
  optional: boolean;
  place: string;
}

/** A mount of one of the pod's volumes. */
export interface MountPlan {
  /** The volume's name in the document. */
  volume: string;
  destination: string;
  options: string[];
  subPath?: string;
}

/** Files of a volume, from one source. */
export interface FilePart {
  kind: "configMap" | "secret";
  name: string;
  optional: boolean;
  /** The keys, each with the path of its file; absent: all of them, by their own names. */
  items?: readonly { key: string; path: string; mode?: number }[];
}

/** A file with a field of the pod or of a container. */
export interface FieldPart {
  kind: "field";
  path: string;
  value: EnvValue;
  mode?: number;
}

/** A volume of a pod. */
export type VolumePlan =
  | { kind: "bind"; source: string; make?: "folder" | "file"; must?: "folder" | "file" | "exist" }
  | { kind: "device"; source: string }
  | { kind: "claim"; name: string; readOnly: boolean }
  | { kind: "empty" }
  | { kind: "memory"; bytes?: number }
  | { kind: "image"; reference: string; policy?: PullPolicy }
  /** `name` is the volume's; `mode` that of files without one. */
  | { kind: "files"; name: string; mode: number; parts: readonly (FilePart | FieldPart)[] };

/** Amounts of a container as the document writes them, by resource. */
export interface Amounts {
  limits: Readonly<Record<string, string>>;
  requests: Readonly<Record<string, string>>;
}

/** A container of a pod that is to be made. */
export interface ContainerPlan {
  /** In the document: the engine's has the pod's before it. */
  name: string;
  image: string;
  policy?: PullPolicy;
  /** The request without what the play adds: name, image, pod, environment, mounts. */
  request: MemberRequest;
  env: EnvPlan[];
  envFrom: EnvFromPlan[];
  mounts: MountPlan[];
  /** The ports that it names, with host port 0 for those that are not published. */
  ports: (PortMapping & { name?: string })[];
  amounts: Amounts;
  /** It must not run as root. */
  nonRoot: boolean;
}

/** A pod that is to be made. */
export interface PodPlan {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  request: PodRequest;
  restartPolicy: RestartPolicy;
  hostNetwork: boolean;
  /** The user namespace in words: `auto`, `host`, `keep-id`, … */
  users?: string;
  volumes: ReadonlyMap<string, VolumePlan>;
  initContainers: ContainerPlan[];
  containers: ContainerPlan[];
  /** The group that owns the volumes that are made for the pod. */
  fsGroup?: number;
}
