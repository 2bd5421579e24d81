import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { IDMapping, IDMaps } from "../../../engine/records/id_maps.ts";

const OTHERS_PASS = 0o001;

/**
 * Throws `EngineError("invalid")` unless every user may pass through the folders above one. The root of a user namespace passes
 * through those whose owner and group it has there, whatever their mode.
 */
export async function requireWay(folder: string, { uids, gids }: IDMaps = { uids: [], gids: [] }): Promise<void> {
  const has = (mappings: readonly IDMapping[], id: number) => {
    return mappings.some(({ host, size }) => id >= host && id < host + size);
  };
  for (let above = dirname(folder); above !== "/"; above = dirname(above)) {
    const { mode, uid, gid } = await stat(above);
    if ((mode & OTHERS_PASS) !== 0 || (has(uids, uid) && has(gids, gid))) continue;
    const advice = "a user namespace needs a root that every user may pass (chmod o+x)";
    throw new EngineError("invalid", `Mount container tree: "${above}" keeps the container's users out: ${advice}`);
  }
}
