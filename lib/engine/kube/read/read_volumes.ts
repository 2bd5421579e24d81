/**
 * The volumes of a pod.
 *
 * @module
 */
import type { PullPolicy } from "../../images/types.ts";
import type { FieldPart, FilePart, VolumePlan } from "../pod_plan.ts";
import type { Fields } from "./fields.ts";
import { readFieldValue } from "./read_env.ts";
import { wholeUnits } from "./quantity.ts";

/** The mode of files that say none. */
const USUAL_MODE = 0o644;
const LARGEST_MODE = 0o777;

/** Words for when an image is pulled. */
const POLICIES: Readonly<Record<string, PullPolicy>> = {
  Always: "always",
  IfNotPresent: "missing",
  Never: "never",
  always: "always",
  ifnotpresent: "missing",
  missing: "missing",
  never: "never",
  newer: "newer",
};

/** Reads the volumes of a pod, by name. Throws `invalid` for two of one name, and for one of a kind that there is not. */
export function readVolumes(spec: Fields, pod: string): Map<string, VolumePlan> {
  const volumes = new Map<string, VolumePlan>();
  for (const fields of spec.list("volumes")) {
    const name = fields.needText("name");
    if (volumes.has(name)) throw fields.fail("name", `"${name}" is the name of another volume, too`);
    volumes.set(name, readVolume(fields, `${pod}-${name}`));
  }
  return volumes;
}

function readVolume(fields: Fields, own: string): VolumePlan {
  const [kind, second] = fields.keys().filter((key) => key !== "name");
  if (second !== undefined) throw fields.fail("", `must be of one kind; it is ${kind} and ${second}`);
  const source = KINDS[kind] && fields.inner(kind);
  if (source) return KINDS[kind](source, own);
  const why = `must have one of ${Object.keys(KINDS).join(", ")}`;
  // An empty volume is an empty folder in Kubernetes.
  throw fields.fail("", kind === undefined ? why : `${why}; it has ${kind}`);
}

const KINDS: Readonly<Record<string, (source: Fields, own: string) => VolumePlan>> = {
  hostPath: readHostPath,
  emptyDir: readEmpty,
  configMap: (source, own) => readFiles(source, "configMap", "name", own),
  secret: (source, own) => readFiles(source, "secret", "secretName", own),
  persistentVolumeClaim: (source) => ({
    kind: "claim",
    name: source.needText("claimName"),
    readOnly: source.flag("readOnly") ?? false,
  }),
  image: (source) => ({
    kind: "image",
    reference: source.needText("reference"),
    policy: readPolicy(source, "pullPolicy"),
  }),
  projected: readProjected,
  downwardAPI: (source, own) => ({ kind: "files", name: own, mode: readMode(source), parts: readFieldFiles(source) }),
};

function readHostPath(source: Fields): VolumePlan {
  const path = source.needText("path");
  if (!path.startsWith("/")) throw source.fail("path", `must be absolute; it is "${path}"`);
  const type = source.word("type", [
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
  ]);
  switch (type) {
    case "CharDevice":
    case "BlockDevice":
      return { kind: "device", source: path };
    case "DirectoryOrCreate":
      return { kind: "bind", source: path, make: "folder" };
    case "FileOrCreate":
      return { kind: "bind", source: path, make: "file" };
    case "Directory":
      return { kind: "bind", source: path, must: "folder" };
    case "File":
      return { kind: "bind", source: path, must: "file" };
    default:
      return { kind: "bind", source: path, must: "exist" };
  }
}

function readEmpty(source: Fields): VolumePlan {
  const size = source.amount("sizeLimit");
  const medium = source.text("medium") ?? "";
  if (medium === "Memory") return { kind: "memory", ...size !== undefined && { bytes: wholeUnits(size) } };
  if (medium !== "") source.note("medium", `"${medium}" is not honoured: it is a folder of the disk`);
  if (size !== undefined) source.note("sizeLimit", "it is not honoured for a folder of the disk");
  return { kind: "empty" };
}

function readFiles(source: Fields, kind: FilePart["kind"], nameKey: string, own: string): VolumePlan {
  const name = source.needText(nameKey);
  const mode = readMode(source);
  const part = readPart(source, kind, name);
  // Some files of a map are not the map: nobody else gets this volume.
  return { kind: "files", name: part.items ? own : name, mode, parts: [part] };
}

function readPart(source: Fields, kind: FilePart["kind"], name: string): FilePart {
  const items = source.list("items").map((item) => {
    const mode = item.number("mode", 0, LARGEST_MODE);
    return { key: item.needText("key"), path: innerPath(item, "path"), ...mode !== undefined && { mode } };
  });
  const optional = source.flag("optional") ?? false;
  return { kind, name, optional, ...items.length > 0 && { items } };
}

function readProjected(source: Fields, own: string): VolumePlan {
  const parts = source.list("sources").flatMap((entry): (FilePart | FieldPart)[] => {
    const configMap = entry.inner("configMap");
    const secret = entry.inner("secret");
    const downward = entry.inner("downwardAPI");
    return [
      ...configMap ? [readPart(configMap, "configMap", configMap.needText("name"))] : [],
      ...secret ? [readPart(secret, "secret", secret.needText("name"))] : [],
      ...downward ? readFieldFiles(downward) : [],
    ];
  });
  return { kind: "files", name: own, mode: readMode(source), parts };
}

function readFieldFiles(source: Fields): FieldPart[] {
  return source.list("items").map((item) => {
    const value = readFieldValue(item);
    if (value === undefined) throw item.fail("", "must have fieldRef or resourceFieldRef");
    const mode = item.number("mode", 0, LARGEST_MODE);
    return { kind: "field", path: innerPath(item, "path"), value, ...mode !== undefined && { mode } };
  });
}

function readMode(source: Fields): number {
  return source.number("defaultMode", 0, LARGEST_MODE) ?? USUAL_MODE;
}

/** Reads a path that stays in its volume. Throws `invalid` for one that leads out of it. */
export function innerPath(fields: Fields, key: string): string {
  const path = fields.needText(key);
  if (path.startsWith("/")) throw fields.fail(key, `must be relative; it is "${path}"`);
  if (path.split("/").includes("..")) throw fields.fail(key, `must not lead out with ".."; it is "${path}"`);
  if (path.includes("\0")) throw fields.fail(key, "must have no zero bytes");
  return path;
}

/** Reads when an image is pulled. */
export function readPolicy(fields: Fields, key: string): PullPolicy | undefined {
  const text = fields.text(key);
  if (!text) return undefined;
  if (Object.hasOwn(POLICIES, text)) return POLICIES[text];
  throw fields.fail(key, `must be "Always", "IfNotPresent" or "Never"; it is "${text}"`);
}
