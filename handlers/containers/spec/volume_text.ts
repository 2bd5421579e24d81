import { EngineError } from "../../../lib/engine/errors.ts";
import type { Mount, NamedVolume, OverlayVolume } from "../../wire/spec_generator_parts.ts";

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
