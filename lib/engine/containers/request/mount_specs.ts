/** Makers of mounts of every kind, from the words of clients and containers.conf(5). All throw `invalid` for paths that are relative. */
import type {
  ArtifactMount,
  BindRequest,
  ImageRequest,
  MountRequest,
  OverlayMount,
  VolumeMount,
} from "../../records/mount_spec.ts";
import { invalidField, unsupportedField } from "../failures.ts";
import { invalid } from "../../errors.ts";

/** The fields that most kinds of mounts have in common. */
export interface MountWords {
  source: string;
  destination: string;
  options?: readonly string[];
}

/** The types besides a bind whose content is the kernel's. */
const TYPES = ["tmpfs", "ramfs", "devpts", "mqueue"] as const;
/** The words for it that are no options of mount(2). */
const CHOWN = /^(?:U|chown)(?:=(true|1))?$/;
const NO_CHOWN = /^(?:U|chown)=(?:false|0)$/;

/**
 * A mount by its type: `bind`, `glob` or one of the kernel's. Without a type the options tell a bind.
 *
 * Throws `unsupported` for other types: volumes, images and artifacts are made below.
 */
export function plainMount({ type: asked, ...words }: MountWords & { type: string }): MountRequest {
  const { options, subPath } = splitOptions(words.options);
  if (asked === "glob") return globMount(words, options);
  const destination = absoluteDestination(words.destination);
  const type = asked || (options.some((option) => /^r?bind$/.test(option)) ? "bind" : "");
  const other = TYPES.find((name) => name === type);
  if (other !== undefined) return { type: other, source: other, destination, options };
  if (type !== "bind") throw unsupportedField("mounts", `type "${type}"`);
  return { type, source: absoluteSource("mount", words.source), destination, options, ...subPath };
}

/** Every path that fits becomes a bind of its own, below the destination or, without one, at the same place. */
function globMount({ source, destination }: MountWords, options: string[]): BindRequest {
  return {
    type: "bind",
    source: absoluteSource("mount", source),
    destination: destination && absoluteDestination(destination),
    options,
    glob: true,
  };
}

/** A volume; one without a name is anonymous in any case. */
export function volumeMount(
  words: MountWords & Pick<VolumeMount, "anonymous" | "subPath" | "making">,
): VolumeMount {
  const { options, subPath } = splitOptions(words.options);
  return {
    type: "volume",
    source: words.source,
    destination: absoluteDestination(words.destination),
    options,
    anonymous: words.source === "" || words.anonymous === true,
    ...subPath,
    ...words.subPath && { subPath: words.subPath },
    ...words.making && { making: words.making },
  };
}

/** A folder of the host whose changes are the container's own. */
export function overlayMount(words: MountWords): OverlayMount {
  const source = absoluteSource("overlay", words.source);
  const options = splitOptions(words.options).options.filter((option) => option !== "O");
  return { type: "overlay", source, destination: absoluteDestination(words.destination), options };
}

/** An image's files. */
export function imageMount(words: MountWords & { writable?: boolean; subPath?: string }): ImageRequest {
  if (words.source === "") throw invalid("must set source for an image volume");
  const options = words.writable ? [] : ["ro"];
  const destination = absoluteDestination(words.destination);
  return { type: "image", source: words.source, destination, options, ...words.subPath && { subPath: words.subPath } };
}

/** An artifact's files; `name` is the file's where one is mounted. */
export function artifactMount(words: MountWords & { title?: string; digest?: string; name?: string }): ArtifactMount {
  const { source, title, digest, name } = words;
  if (source === "") throw invalid("must set source for an artifact volume");
  const artifact = { ...title && { title }, ...digest && { digest }, ...name && { name: fileName(name) } };
  return { type: "artifact", source, destination: absoluteDestination(words.destination), options: ["ro"], artifact };
}

function fileName(file: string): string {
  if (!file.includes("/") && file !== "." && file !== "..") return file;
  throw invalidField("mounts.artifact", (name) => `Create container: "${name}" name "${file}" is no file name`);
}

function splitOptions(asked: readonly string[] = []): { options: string[]; subPath: { subPath?: string } } {
  const options: string[] = [];
  let subPath: string | undefined;
  for (const option of asked) {
    if (option === "" || NO_CHOWN.test(option)) continue;
    if (option.startsWith("subpath=")) subPath = option.slice("subpath=".length);
    else options.push(CHOWN.test(option) ? "U" : option);
  }
  return { options, subPath: subPath ? { subPath } : {} };
}

function absoluteSource(kind: "mount" | "overlay", source: string): string {
  if (source.startsWith("/")) return source;
  throw invalid(`Create container: ${kind} source "${source}" is not absolute`);
}

function absoluteDestination(destination: string): string {
  if (destination.startsWith("/")) return destination;
  throw invalid(`Create container: mount destination "${destination}" is not absolute`);
}

const ORDER: readonly MountRequest["type"][] = ["volume", "overlay", "image", "artifact"];

/** Puts folders of the host and the kernel's mounts first, then volumes, overlays, images and artifacts. */
export function orderMounts(mounts: readonly MountRequest[]): MountRequest[] {
  return [...mounts].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
}
