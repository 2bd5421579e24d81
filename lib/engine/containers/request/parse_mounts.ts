/** Mounts in the words of the command line, which Docker's API and containers.conf(5) have too. */
import { EngineError, invalid } from "../../errors.ts";
import type { MountRequest } from "../../records/mount_spec.ts";
import { overlayMount, plainMount, volumeMount } from "./mount_specs.ts";

/** Words of `--mount` that mount options have others for. */
const WORDS: Record<string, string | undefined> = {
  readonly: "ro",
  "tmpfs-size": "size",
  "tmpfs-mode": "mode",
  "bind-propagation": "",
  "volume-nocopy": "nocopy",
};
const PLACES: Record<string, "type" | "source" | "destination" | undefined> = {
  type: "type",
  source: "source",
  src: "source",
  destination: "destination",
  dst: "destination",
  target: "destination",
};

/**
 * Reads what `--volume` takes: `source:destination[:options]`; a source without a slash is a volume, and a lone destination
 * an anonymous one.
 *
 * Throws `invalid` for texts with too many colons.
 */
export function parseVolume(text: string): MountRequest {
  const [source, destination, words = "", ...rest] = text.split(":");
  if (rest.length > 0) throw invalid(`invalid mount "${text}": too many colons`);
  const options = optionList(words);
  if (destination === undefined) return volumeMount({ source: "", destination: source });
  if (!source.startsWith("/")) return volumeMount({ source, destination, options });
  if (options.includes("O")) return overlayMount({ source, destination, options });
  return plainMount({ type: "bind", source, destination, options });
}

/**
 * Reads what `--mount` takes: `type=TYPE,source=SOURCE,destination=DESTINATION[,OPTION…]`, of the types bind, tmpfs, ramfs, devpts,
 * glob and volume. Other options are those of the mount, and looked at like any.
 *
 * Throws `invalid` for what names no place, and `unsupported` for other types.
 */
export function parseMount(text: string): MountRequest {
  const mount = { type: "volume", source: "", destination: "" };
  const options: string[] = [];
  for (const [key, value] of optionList(text).map((word) => word.split(/=(.*)/s))) {
    const place = PLACES[key];
    if (place !== undefined) mount[place] = value ?? "";
    else if (!/^(?:readonly|ro)$/.test(key) || value !== "false") options.push(optionOf(key, value));
  }
  const { type, destination } = mount;
  if (destination === "" && type !== "glob") throw invalid(`invalid mount "${text}": no destination`);
  if (type === "volume") return volumeMount({ ...mount, options });
  if (["bind", "tmpfs", "ramfs", "devpts", "glob"].includes(type)) return plainMount({ ...mount, options });
  throw new EngineError("unsupported", `Mount "${text}": type "${type}" is not supported here`);
}

function optionOf(key: string, value: string | undefined): string {
  const word = WORDS[key] ?? key;
  if (value === undefined || /^(?:ro|nocopy|U)$/.test(word)) return word;
  return word === "" ? value : `${word}=${value}`;
}

/** Options of a mount, separated by commas. */
export function optionList(words: string): string[] {
  return words === "" ? [] : words.split(",");
}
