import type { ContainerSpec, NamespaceMode } from "../../records/container_record.ts";
import type { IDMapping, IDMaps } from "../../records/id_maps.ts";
import type { AutoMaps } from "../../records/spec_parts.ts";
import { unsupportedField } from "../failures.ts";
import { isOpen, modeOf, type NamespaceWords } from "./namespace_mode.ts";
import { invalid } from "../../errors.ts";

/** The user namespace of a request, as clients tell of it. */
export interface UserNamespaceWords extends NamespaceWords {
  /** Mappings that are spelled out; one kind stands for the other where that is missing. */
  maps?: IDMaps;
  /** Options of the mode `auto`, which newer clients send beside it. */
  auto?: AutoMaps & { usualSize?: number };
}

/** The user namespace that is meant; everything is absent where the choice is left open. */
export interface UserNamespaceChoice extends Pick<ContainerSpec, "userMaps"> {
  mode?: NamespaceMode;
}

/** The namespace itself, and which IDs it has. Throws `invalid` or `unsupported`. */
export function userNamespace(words: UserNamespaceWords): UserNamespaceChoice {
  const { mode, value } = words;
  const userMaps = spelledOut(words);
  if (userMaps !== undefined && !["container", "path", "auto"].includes(mode)) {
    return { mode: { mode: "private" }, userMaps };
  }
  if (isOpen(words)) return {};
  switch (mode) {
    case "host":
      return { mode: { mode } };
    case "container":
    case "path":
      return { mode: modeOf("user", mode, value) };
    case "keep-id":
      return keepID(words);
    case "auto":
      return { mode: { mode: "private" }, userMaps: { auto: autoMaps(words) } };
    case "no-map":
    case "nomap":
      return { mode: { mode: "private" }, userMaps: { noMap: true } };
    case "private":
      throw invalid("must provide at least one UID or GID mapping to configure a user namespace");
    default:
      throw unsupportedField("namespaces.user", `mode "${mode}"`);
  }
}

function spelledOut({ maps: { uids, gids } = { uids: [], gids: [] } }: UserNamespaceWords): IDMaps | undefined {
  if (uids.length === 0 && gids.length === 0) return undefined;
  return { uids: uids.length > 0 ? uids : gids, gids: gids.length > 0 ? gids : uids };
}

/** Which IDs they are is known where the container is made: the request does not tell whose the server is. */
function keepID({ value }: UserNamespaceWords): UserNamespaceChoice {
  const options = optionsOf(value);
  const unknown = [...options.keys()].find((key) => !["uid", "gid", "size"].includes(key));
  if (unknown !== undefined) throw invalid(`unknown option specified: "${unknown}"`);
  const kept = Object.fromEntries([...options].map(([key, text]) => [key, parseID(text)]));
  return { mode: { mode: "private" }, userMaps: { keepID: kept } };
}

/** Older clients have the options in the mode's value. */
function autoMaps({ value, auto }: UserNamespaceWords): AutoMaps {
  const options = optionsOf(value);
  const unknown = [...options.keys()].find((key) => !["size", "uidmapping", "gidmapping"].includes(key));
  if (unknown !== undefined) throw invalid(`unknown option specified: "${unknown}"`);
  const extra = (text: string | undefined) => text === undefined ? [] : [parseMapping(text)];
  const size = auto?.size || parseID(options.get("size") ?? "0") || auto?.usualSize;
  return {
    ...size && { size },
    uids: auto?.uids.length ? auto.uids : extra(options.get("uidmapping")),
    gids: auto?.gids.length ? auto.gids : extra(options.get("gidmapping")),
  };
}

function optionsOf(value: string): Map<string, string> {
  return new Map(
    value.split(",").filter((option) => option !== "").map((option) => {
      const [key, text] = option.split(/=(.*)/s);
      if (text === undefined) throw invalid(`invalid option specified: "${option}"`);
      return [key, text];
    }),
  );
}

/** Reads a mapping as the command line has it: `container:host:size`. Throws `invalid`. */
export function parseMapping(text: string): IDMapping {
  const [container, host, size] = text.split(":").map(parseID);
  if (container === undefined || host === undefined || size === undefined) {
    throw invalid(`initializing ID mappings: "${text}" is not container:host:size`);
  }
  return { container, host, size };
}

function parseID(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  throw invalid(`"${text}" is no user or group ID`);
}
