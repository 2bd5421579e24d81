/** The user whose server this is, and the IDs that it may give to its containers. */
import type { IDMapping } from "../../../engine/records/id_maps.ts";
import type { ServerUser } from "../../../engine/ports/user_port.ts";
import { isRootless, outerID, parseMap, readOwnMap } from "./outer_user.ts";

/** Returns the user whose server this is, and how many IDs it has; undefined for the machine's root. */
export function serverUser(): ServerUser | undefined {
  if (!isRootless()) return undefined;
  const [users, groups] = [readOwnMap(), readOwnMap("gid_map")];
  const count = (map: string) => parseMap(map).reduce((sum, [, , size]) => sum + size, 0);
  return { uid: outerID(0, users), gid: outerID(0, groups), uids: count(users), gids: count(groups) };
}

/**
 * Splits mappings so that each lies in one line of this process's own map: the kernel refuses one that begins in one line, and ends
 * in another. A number that is in no line stays as it is.
 */
export function splitMappings(mappings: readonly IDMapping[], own: string): IDMapping[] {
  const ends = parseMap(own).flatMap(([inside, , size]) => [inside, inside + size]);
  return mappings.flatMap(({ container, host, size }) => {
    const cuts = [...new Set(ends)].filter((end) => end > host && end < host + size).sort((a, b) => a - b);
    return [host, ...cuts].map((start, index): IDMapping => ({
      container: container + start - host,
      host: start,
      size: (cuts[index] ?? host + size) - start,
    }));
  });
}
