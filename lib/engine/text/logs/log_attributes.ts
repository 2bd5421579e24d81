import { readPairs } from "../pairs.ts";
import { compilePattern } from "../pattern.ts";
import { parseTagTemplate } from "./tag_template.ts";

/** The characters of a short ID. */
const SHORT = 12;
/** Characters of a tag in each message of a syslog. */
const LONGEST_SYSLOG_TAG = 1024;

/** The parts of a container's record that its tag and attributes are made of. */
export interface TaggedRecord {
  id: string;
  name: string;
  imageID: string;
  imageName: string;
  process: { args: string[]; env: string[] };
  spec: { logOptions: Record<string, string>; labels?: Record<string, string>; defaults?: "docker" };
}

/** Returns the container's tag in its log, its template filled in; `undefined` where it asks for none. */
export function logTag(record: TaggedRecord): string | undefined {
  const { id, name, imageID, imageName, process, spec } = record;
  const { tag = "" } = spec.logOptions;
  if (tag === "") return undefined;
  return parseTagTemplate(tag)({
    // Docker's is short; Podman has one name for it, and that is the whole.
    ID: spec.defaults === "docker" ? id.slice(0, SHORT) : id,
    FullID: id,
    Name: name,
    ImageID: imageID.slice(0, SHORT),
    ImageFullID: `sha256:${imageID}`,
    Image: imageID,
    ImageName: imageName,
    Command: process.args.join(" "),
    DaemonName: "docker",
  });
}

/**
 * Returns the tag of a container's messages for a syslog: its short ID where it asks for no other. A command may be part of it, and
 * that is the image's: it begins no message of its own, and leaves room for the text.
 */
export function syslogTag(record: TaggedRecord): string {
  const tag = logTag(record) ?? record.id.slice(0, SHORT);
  // deno-lint-ignore no-control-regex -- these are what it replaces
  return tag.slice(0, LONGEST_SYSLOG_TAG).replace(/[\x00-\x1f\x7f]/g, "_");
}

/**
 * Returns the attributes of each line of a container's log, by name: the tag, and the labels and variables that its log options
 * name (`labels`, `labels-regex`, `env`, `env-regex`).
 */
export function logAttributes(record: TaggedRecord): [name: string, value: string][] {
  const { logOptions, labels = {} } = record.spec;
  const env = readPairs(record.process.env);
  const tag = logTag(record);
  const found = new Map([
    ...pickValues(labels, logOptions.labels, logOptions["labels-regex"]),
    ...pickValues(env, logOptions.env, logOptions["env-regex"]),
    ...tag === undefined ? [] : [["tag", tag] as [string, string]],
  ]);
  return [...found].sort(([one], [other]) => one < other ? -1 : 1);
}

function pickValues(values: Record<string, string>, names = "", pattern = ""): [string, string][] {
  const wanted = new Set(names.split(","));
  const fits = pattern === "" ? () => false : compilePattern(pattern);
  return Object.entries(values).filter(([name]) => wanted.has(name) || fits(name));
}
