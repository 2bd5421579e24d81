import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { IDMapping } from "../../../engine/records/id_maps.ts";
import type { MountSpec } from "../../../engine/records/mount_spec.ts";
import type { SpecIDMapping, SpecMount } from "./spec_types.ts";

/** One range of the option: `container-host-size`; after `@` the host ID is one of the container's namespace. */
const RANGE = /^(@?)(\d+)-(\d+)-(\d+)$/;

/**
 * The mappings of a mount with the option `idmap`: the container's own, or those it names
 * (`idmap=uids=0-1000-1;gids=0-1000-1`, ranges joined by `#`). Throws `EngineError("invalid")` for what does not parse.
 */
export function idMapping(
  record: ContainerRecord,
  { options }: Pick<MountSpec, "options">,
): Pick<SpecMount, "uidMappings" | "gidMappings"> {
  const option = options.find((text) => text === "idmap" || text.startsWith("idmap="));
  if (option === undefined) return {};
  const { idMaps } = record;
  if (option === "idmap") {
    if (idMaps === undefined) {
      throw new EngineError("invalid", 'Mount with option "idmap": the container has no user namespace of its own');
    }
    return { uidMappings: specMappings(idMaps.uids), gidMappings: specMappings(idMaps.gids) };
  }
  const parts = new Map(
    option.slice("idmap=".length).split(";").map((part) => {
      const [name, ranges = ""] = part.split(/=(.*)/s);
      return [name, ranges];
    }),
  );
  const unknown = [...parts.keys()].find((name) => name !== "uids" && name !== "gids");
  if (unknown !== undefined) {
    throw new EngineError("invalid", `Mount with option "${option}": "${unknown}" is not known`);
  }
  const uids = parseRanges(option, parts.get("uids") ?? "", idMaps?.uids ?? []);
  const gids = parseRanges(option, parts.get("gids") ?? "", idMaps?.gids ?? []);
  return { uidMappings: uids, gidMappings: gids };
}

/** Mappings in the runtime specification's words. */
export function specMappings(mappings: readonly IDMapping[]): SpecIDMapping[] {
  return mappings.map(({ container, host, size }) => ({ containerID: container, hostID: host, size }));
}

function parseRanges(option: string, text: string, own: readonly IDMapping[]): SpecIDMapping[] {
  return text.split("#").filter((range) => range !== "").map((range) => {
    const match = RANGE.exec(range);
    if (match === null) throw new EngineError("invalid", `Mount with option "${option}": "${range}" is no range`);
    const [, relative, first, second, size] = match;
    const host = Number(second);
    if (relative === "") return { containerID: Number(first), hostID: host, size: Number(size) };
    const map = own.find((mapping) => host >= mapping.container && host < mapping.container + mapping.size);
    if (map === undefined) {
      throw new EngineError("invalid", `Mount with option "${option}": ${host} is not mapped in the container`);
    }
    return { containerID: Number(first), hostID: map.host + host - map.container, size: Number(size) };
  });
}
