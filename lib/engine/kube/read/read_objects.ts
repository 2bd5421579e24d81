/**
 * The objects that make no pods: config maps, secrets, claims and services.
 *
 * @module
 */
import { fromBase64 } from "../../../oci/bytes/base64.ts";
import type { VolumeRequest } from "../../volumes/volumes.ts";
import type { KubeObject } from "./documents.ts";
import { Fields } from "./fields.ts";
import { readYAML } from "./read_yaml.ts";

/** The values of a config map or a secret, by key. */
export type KeyValues = ReadonlyMap<string, Uint8Array>;

/** Reads a config map. Throws `invalid` for a key that is there twice. */
export function readConfigMap({ name, fields }: KubeObject): KeyValues {
  fields.skip("immutable");
  const texts = fields.map("data");
  const binary = fields.map("binaryData");
  for (const key of Object.keys(texts)) {
    if (!Object.hasOwn(binary, key)) continue;
    throw fields.fail(
      `data.${key}`,
      `the ConfigMap "${name}" is invalid: duplicate key "${key}" present in data and binaryData`,
    );
  }
  return new Map([...encodeTexts(texts), ...decodeTexts(fields, "binaryData", binary)]);
}

/** Reads the values of a secret. A value of `stringData` wins. */
export function readSecret({ fields }: Pick<KubeObject, "fields">): KeyValues {
  fields.text("type");
  fields.skip("immutable");
  const data = decodeTexts(fields, "data", fields.map("data"));
  return new Map([...data, ...encodeTexts(fields.map("stringData"))]);
}

/** Reads the values of a secret of the engine that once was one of Kubernetes; `undefined` for one that was not. */
export function readStoredSecret(text: string): KeyValues | undefined {
  try {
    const [value] = readYAML(text);
    const fields = new Fields(value, "secret");
    return fields.text("kind") === "Secret" ? readSecret({ fields }) : undefined;
  } catch {
    return undefined;
  }
}

function encodeTexts(texts: Readonly<Record<string, string>>): [string, Uint8Array][] {
  return Object.entries(texts).map(([key, text]) => [key, new TextEncoder().encode(text)]);
}

function decodeTexts(fields: Fields, field: string, texts: Readonly<Record<string, string>>): [string, Uint8Array][] {
  return Object.entries(texts).map(([key, text]) => {
    try {
      return [key, fromBase64(text.replaceAll(/\s/g, ""))];
    } catch {
      throw fields.fail(`${field}.${key}`, "must be base64");
    }
  });
}

/** The annotations by which a claim says how its volume is made. */
export const VOLUME_ANNOTATIONS = {
  driver: "volume.podman.io/driver",
  device: "volume.podman.io/device",
  type: "volume.podman.io/type",
  uid: "volume.podman.io/uid",
  gid: "volume.podman.io/gid",
  options: "volume.podman.io/mount-options",
  source: "volume.podman.io/import-source",
  image: "volume.podman.io/image",
} as const;

/** Reads a claim as the volume that it becomes. */
export function readClaim(
  { name, fields, metadata }: KubeObject,
  more: Readonly<Record<string, string>> = {},
): VolumeRequest {
  if (name.trim() === "") throw fields.fail("metadata.name", "persistent volume claim name can not be empty");
  const annotations: Record<string, string> = { ...metadata.map("annotations"), ...more };
  if (Object.hasOwn(annotations, VOLUME_ANNOTATIONS.source)) {
    throw fields.fail("metadata.annotations", "importing volumes is not supported for remote requests");
  }
  const spec = fields.inner("spec");
  // A folder of the disk has as much room as the disk, for whoever mounts it.
  spec?.skip("accessModes", "resources", "volumeMode");
  const read = (key: keyof typeof VOLUME_ANNOTATIONS): string | undefined => annotations[VOLUME_ANNOTATIONS[key]];
  const number = (key: "uid" | "gid") => {
    const text = read(key);
    if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
    throw fields.fail("metadata.annotations", `cannot convert ${key} ${text} to integer`);
  };
  const options: Record<string, string> = {};
  for (const [option, key] of [["type", "type"], ["device", "device"], ["o", "options"]] as const) {
    const value = read(key);
    if (value !== undefined) options[option] = value;
  }
  return {
    ...{ name, labels: metadata.map("labels"), options, ignoreIfExists: true },
    driver: read("image") === undefined ? read("driver") || undefined : "image",
    uid: number("uid"),
    gid: number("gid"),
  };
}

/** A service: ports of the host that lead to pods, and a name for them. */
export interface ServicePlan {
  name: string;
  /** The labels that the pods have; none of them: no pods. */
  selector: Readonly<Record<string, string>>;
  /** A target may be the name of a container's port. */
  ports: { hostPort: number; target: number | string; protocol: "tcp" | "udp" | "sctp" }[];
}

/** Reads a service. A port of the host comes of `nodePort`, or of the port itself where a load balancer is asked for. */
export function readService({ name, fields }: KubeObject): ServicePlan {
  const spec = fields.needInner("spec");
  const type = spec.word("type", ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]) ?? "ClusterIP";
  if (type === "ExternalName") spec.note("type", "ExternalName is not honoured");
  spec.skip("clusterIP", "clusterIPs", "sessionAffinity", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy");
  const ports = spec.list("ports").flatMap((port) => {
    port.skip("name", "appProtocol");
    const own = port.number("port", 1, 65535);
    if (own === undefined) throw port.fail("port", "is missing");
    const target = port.portName("targetPort") ?? own;
    const protocol = (port.word("protocol", ["TCP", "UDP", "SCTP"]) ?? "TCP").toLowerCase() as "tcp" | "udp" | "sctp";
    const node = port.number("nodePort", 0, 65535) || (type === "LoadBalancer" ? own : 0);
    if (node === 0 && target !== own) port.note("targetPort", "it is not honoured: other pods reach the port itself");
    return node === 0 || type === "ClusterIP" ? [] : [{ hostPort: node, target, protocol }];
  });
  return { name, selector: spec.map("selector"), ports };
}
