import { EngineError } from "../../../lib/engine/errors.ts";
import type { Mount, NamedVolume, OverlayVolume } from "../../wire/containers/spec_generator_parts.ts";

/** Folders and volumes, as a create request has them. */
export interface Binds {
  mounts: Mount[];
  volumes: NamedVolume[];
  overlays: OverlayVolume[];
}

/**
 * Reads what `--volume` takes: `source:destination[:options]`; a source without a slash is a volume, and a lone destination
 * an anonymous one.
 *
 * Throws `invalid` for texts with too many colons.
 */
export function gatherBinds(texts: readonly string[]): Binds {
  const found: Binds = { mounts: [], volumes: [], overlays: [] };
  for (const text of texts) addBind(text, found);
  return found;
}

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
 * Reads what `--mount` takes: `type=TYPE,source=SOURCE,destination=DESTINATION[,OPTION…]`, of the types bind, tmpfs, ramfs, devpts,
 * glob and volume. Other options are those of the mount, and looked at like any.
 *
 * Throws `invalid` for what names no place, and `unsupported` for other types.
 */
export function gatherMounts(texts: readonly string[]): Binds {
  const found: Binds = { mounts: [], volumes: [], overlays: [] };
  for (const text of texts) {
    const mount = { type: "volume", source: "", destination: "" };
    const options: string[] = [];
    for (const [key, value] of optionList(text).map((word) => word.split(/=(.*)/s))) {
      const place = PLACES[key];
      if (place !== undefined) mount[place] = value ?? "";
      else if (!/^(?:readonly|ro)$/.test(key) || value !== "false") options.push(optionOf(key, value));
    }
    const { type, source, destination } = mount;
    if (destination === "" && type !== "glob") {
      throw new EngineError("invalid", `invalid mount "${text}": no destination`);
    }
    if (type === "volume") found.volumes.push(volume(source, destination, options, source === ""));
    else if (["bind", "tmpfs", "ramfs", "devpts", "glob"].includes(type)) found.mounts.push({ ...mount, options });
    else throw new EngineError("unsupported", `Mount "${text}": type "${type}" is not supported here`);
  }
  return found;
}

function optionOf(key: string, value: string | undefined): string {
  const word = WORDS[key] ?? key;
  if (value === undefined || /^(?:ro|nocopy|U)$/.test(word)) return word;
  return word === "" ? value : `${word}=${value}`;
}

function addBind(text: string, { mounts, volumes, overlays }: Binds): void {
  const [source, destination, words = "", ...rest] = text.split(":");
  if (rest.length > 0) throw new EngineError("invalid", `invalid mount "${text}": too many colons`);
  const options = optionList(words);
  if (destination === undefined) volumes.push(volume("", source, [], true));
  else if (source.startsWith("/") && options.includes("O")) overlays.push({ source, destination, options });
  else if (source.startsWith("/")) mounts.push({ type: "bind", source, destination, options });
  else volumes.push(volume(source, destination, options, false));
}

function volume(Name: string, Dest: string, Options: string[], IsAnonymous: boolean): NamedVolume {
  return { Name, Dest, Options, IsAnonymous, SubPath: "" };
}

/** Options of a mount, separated by commas. */
export function optionList(words: string): string[] {
  return words === "" ? [] : words.split(",");
}
