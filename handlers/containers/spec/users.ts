import type { ContainerSpec, NamespaceMode } from "../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { IDMapping } from "../../../lib/engine/records/id_maps.ts";
import type { UserMapsWish } from "../../../lib/engine/records/spec_parts.ts";
import type { IDMap } from "../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";

/** The user namespace of a create request. */
export type UserSpec = Pick<ContainerSpec, "userMaps"> & { mode?: NamespaceMode; user?: string };

/** The namespace itself, which IDs it has, and who the process is where only the mode says it. */
export function userNamespace(g: SpecGenerator): UserSpec {
  const { nsmode = "", value = "" } = g.userns;
  const maps = asked(g);
  if (maps !== undefined && nsmode !== "container" && nsmode !== "path" && nsmode !== "auto") {
    return { mode: { mode: "private" }, userMaps: maps };
  }
  if (["", "default", "host"].includes(nsmode)) return {};
  if (nsmode === "container" || nsmode === "path") {
    if (value === "") throw new EngineError("invalid", `Create container: "userns" mode "${nsmode}" needs a value`);
    return { mode: { mode: nsmode, value } };
  }
  if (nsmode === "keep-id") return keepID(g, optionsOf(value));
  if (nsmode === "auto") return { mode: { mode: "private" }, userMaps: auto(g, optionsOf(value)) };
  if (nsmode === "no-map" || nsmode === "nomap") {
    throw new EngineError("invalid", "nomap is only supported in rootless mode");
  }
  if (nsmode === "private") {
    throw new EngineError("invalid", "must provide at least one UID or GID mapping to configure a user namespace");
  }
  throw unsupported("userns", `mode "${nsmode}"`);
}

/** Mappings that are spelled out; one kind stands for the other where that is missing. */
function asked({ idmappings }: SpecGenerator): UserMapsWish | undefined {
  const uids = (idmappings?.UIDMap ?? []).map(mapping);
  const gids = (idmappings?.GIDMap ?? []).map(mapping);
  if (uids.length === 0 && gids.length === 0) return undefined;
  return { uids: uids.length > 0 ? uids : gids, gids: gids.length > 0 ? gids : uids };
}

/** Root's own IDs are all there are: they keep their numbers. */
function keepID({ user }: SpecGenerator, options: Map<string, string>): UserSpec {
  const unknown = [...options.keys()].find((key) => key !== "uid" && key !== "gid");
  if (unknown === "size") {
    throw new EngineError("invalid", "cannot set max size for user namespace when not running rootless");
  }
  if (unknown !== undefined) throw new EngineError("invalid", `unknown option specified: "${unknown}"`);
  const [uid, gid] = ["uid", "gid"].map((key) => number(options.get(key) ?? "0"));
  const all = [{ container: 0, host: 0, size: 2 ** 32 - 1 }];
  return { mode: { mode: "private" }, userMaps: { uids: all, gids: all }, ...!user && { user: `${uid}:${gid}` } };
}

/** Newer clients send what was asked for beside the mode, all of them in its value. */
function auto({ idmappings }: SpecGenerator, options: Map<string, string>): UserMapsWish {
  const parsed = idmappings?.AutoUserNsOpts;
  const unknown = [...options.keys()].find((key) => !["size", "uidmapping", "gidmapping"].includes(key));
  if (unknown !== undefined) throw new EngineError("invalid", `unknown option specified: "${unknown}"`);
  if (parsed?.PasswdFile) throw unsupported("idmappings.AutoUserNsOpts.PasswdFile");
  if (parsed?.GroupFile) throw unsupported("idmappings.AutoUserNsOpts.GroupFile");
  const extra = (text: string | undefined) => text === undefined ? [] : [parseMapping(text)];
  const size = parsed?.Size || number(options.get("size") ?? "0") || parsed?.InitialSize;
  const fromUIDs = (parsed?.AdditionalUIDMappings ?? []).map(mapping);
  const fromGIDs = (parsed?.AdditionalGIDMappings ?? []).map(mapping);
  return {
    auto: {
      ...size && { size },
      uids: fromUIDs.length > 0 ? fromUIDs : extra(options.get("uidmapping")),
      gids: fromGIDs.length > 0 ? fromGIDs : extra(options.get("gidmapping")),
    },
  };
}

function optionsOf(value: string): Map<string, string> {
  return new Map(
    value.split(",").filter((option) => option !== "").map((option) => {
      const [key, text] = option.split(/=(.*)/s);
      if (text === undefined) throw new EngineError("invalid", `invalid option specified: "${option}"`);
      return [key, text];
    }),
  );
}

function parseMapping(text: string): IDMapping {
  const [container, host, size] = text.split(":").map(number);
  if (container === undefined || host === undefined || size === undefined) {
    throw new EngineError("invalid", `initializing ID mappings: "${text}" is not container:host:size`);
  }
  return { container, host, size };
}

function number(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  throw new EngineError("invalid", `"${text}" is no user or group ID`);
}

function mapping({ container_id: container, host_id: host, size }: IDMap): IDMapping {
  return { container, host, size };
}
