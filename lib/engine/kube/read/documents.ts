import { EngineError } from "../../errors.ts";
import { Fields } from "./fields.ts";
import { readYAML, YAML_LIMITS, type YAMLLimits } from "./read_yaml.ts";

/** The kinds of objects that are played, each with the versions of the API that define it. */
const KINDS: Readonly<Record<string, RegExp>> = {
  Pod: /^v1$/,
  ConfigMap: /^v1$/,
  Secret: /^v1$/,
  PersistentVolumeClaim: /^v1$/,
  Service: /^v1$/,
  Deployment: /^(?:apps\/v1(?:beta[12])?|extensions\/v1beta1|v1)$/,
  DaemonSet: /^(?:apps\/v1(?:beta[12])?|extensions\/v1beta1|v1)$/,
  Job: /^(?:batch\/v1(?:beta1)?|v1)$/,
};

/** A kind of object that is played. */
export type KubeKind =
  | "Pod"
  | "ConfigMap"
  | "Secret"
  | "PersistentVolumeClaim"
  | "Service"
  | "Deployment"
  | "DaemonSet"
  | "Job";

/** The kinds that make pods. */
const WORKLOADS: ReadonlySet<string> = new Set(["Pod", "Deployment", "DaemonSet", "Job"]);

/** One object of a YAML text. */
export interface KubeObject {
  kind: KubeKind;
  /** Its name; empty where it has none. */
  name: string;
  fields: Fields;
  /** The object's `metadata`, an empty mapping where there is none. */
  metadata: Fields;
  /** The object as plain data. */
  value: Readonly<Record<string, unknown>>;
}

/** The objects of a YAML text. */
export interface KubeDocuments {
  /** The objects that can be played, those that others need first. */
  objects: KubeObject[];
  /** A line for each object of another kind. */
  others: string[];
}

/**
 * Reads the objects of a YAML text, those in lists among them: pods last, as they need the rest. Throws `invalid` with document and
 * path, and `limit` for what passes the bounds.
 */
export function readObjects(text: string, limits: YAMLLimits = YAML_LIMITS): KubeDocuments {
  const objects: KubeObject[] = [];
  const others: string[] = [];
  const add = (value: unknown, place: string) => {
    const made = readObject(value, place);
    if (typeof made === "string") others.push(made);
    else objects.push(made);
  };
  readYAML(text, limits).forEach((value, index) => {
    const place = `document ${index + 1}`;
    if (value === null || value === undefined) return;
    const list = new Fields(value, place);
    if (list.text("kind") !== "List") return add(value, place);
    list.list("items");
    // The fields have seen that it is a list.
    const { items = [] } = value as { items?: readonly unknown[] };
    items?.forEach((item, at) => add(item, `${place}, item ${at + 1}`));
  });
  const isLast = ({ kind }: KubeObject) => WORKLOADS.has(kind);
  return { objects: [...objects.filter((object) => !isLast(object)), ...objects.filter(isLast)], others };
}

function readObject(value: unknown, place: string): KubeObject | string {
  const look = new Fields(value, place);
  const kind = look.needText("kind");
  const name = look.inner("metadata")?.text("name") ?? "";
  const title = `${place}, ${kind}${name && ` "${name}"`}`;
  if (!isKind(kind)) return `${title}: objects of this kind are not played`;
  const fields = new Fields(value, title);
  const version = fields.text("apiVersion") ?? "";
  fields.skip("kind", "status");
  if (version !== "" && !KINDS[kind].test(version)) {
    throw fields.fail("apiVersion", `"${version}" has no objects of kind ${kind}`);
  }
  const metadata = fields.inner("metadata") ?? new Fields({}, title, "metadata");
  metadata.skip("name", "creationTimestamp", "uid", "resourceVersion", "generation", "managedFields", "selfLink");
  // There is one cluster, and one namespace.
  metadata.skip("namespace");
  // The fields have seen that it is a mapping.
  return { kind, name, fields, metadata, value: value as Record<string, unknown> };
}

function isKind(kind: string): kind is KubeKind {
  return Object.hasOwn(KINDS, kind);
}

/** Throws Podman's error for a text without anything to play. */
export function requireObjects({ objects }: KubeDocuments): void {
  if (objects.some(({ kind }) => kind !== "ConfigMap" && kind !== "Service")) return;
  const text = objects.some(({ kind }) => kind === "ConfigMap")
    ? "ConfigMaps in podman are not a standalone object and must be used in a container"
    : "YAML document does not contain any supported kube kind";
  throw new EngineError("invalid", text);
}
