/** Which user namespace a container has, and who it runs as there. */
import type { ContainerRecord, ContainerSpec } from "../../records/container_record.ts";
import type { IDMapping, IDMaps } from "../../records/id_maps.ts";
import type { AutoMaps, KeptID } from "../../records/spec_parts.ts";
import type { ServerUser } from "../../ports/user_port.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { autoMaps, checkMaps, requireOwnIDs, USUAL_SIZE } from "./user_maps.ts";
import { invalid } from "../../errors.ts";

/** The user of the machine whose subordinate IDs containers of root's server get that ask for any. */
const SUBORDINATES = "containers";
/** An ordinary user has few IDs: so many containers are to find some that ask for no number. */
const SHARES = 16;

/** The users of a container. */
interface ChosenUsers {
  /** Absent: those of the server. */
  idMaps?: IDMaps;
  /** The process's user, where the request names none and the mode does. */
  user?: string;
}

/** Chooses the IDs of a user namespace that is made for the container, or that it joins. Throws `invalid` for what cannot be. */
export async function chooseUsers(
  context: Context,
  { namespaces: { user: mode }, userMaps, user }: ContainerSpec,
): Promise<ChosenUsers> {
  if (mode?.mode === "container") return { idMaps: context.records.require(mode.value ?? "").idMaps };
  const { users } = requireHost(context.core);
  if (mode?.mode === "path") {
    const maps = await users.mapsOf(mode.value ?? "");
    checkMaps(maps);
    return { idMaps: maps };
  }
  if (mode?.mode !== "private" || userMaps === undefined) return {};
  const own = users.serverUser();
  if ("noMap" in userMaps) {
    if (own === undefined) throw invalid("nomap is only supported in rootless mode");
    const all = (size: number): IDMapping[] => [{ container: 0, host: 1, size: size - 1 }];
    return { idMaps: { uids: all(own.uids), gids: all(own.gids) } };
  }
  if ("keepID" in userMaps) {
    const { idMaps, user: kept } = keepID(userMaps.keepID, own);
    return { idMaps, ...!user && { user: kept } };
  }
  if ("auto" in userMaps) return { idMaps: await chooseAuto(context, userMaps.auto, own) };
  checkMaps(userMaps);
  if (own !== undefined) requireOwnIDs(userMaps, own);
  return { idMaps: userMaps };
}

/** The server's user has its own ID in the container, or another one, and the subordinate IDs are around it. */
function keepID({ uid, gid, size }: KeptID, own: ServerUser | undefined): Required<ChosenUsers> {
  if (own === undefined) {
    if (size !== undefined) throw invalid("cannot set max size for user namespace when not running rootless");
    // Root's IDs are all there are: they keep their numbers.
    const all = [{ container: 0, host: 0, size: 2 ** 32 - 1 }];
    return { idMaps: { uids: all, gids: all }, user: `${uid ?? 0}:${gid ?? 0}` };
  }
  const [atUID, atGID] = [uid ?? own.uid, gid ?? own.gid];
  const around = (id: number, all: number): IDMapping[] => {
    const others = Math.min(all - 1, size ?? all);
    const before = Math.min(id, others);
    return [
      { container: 0, host: 1, size: before },
      { container: id, host: 0, size: 1 },
      { container: id + 1, host: before + 1, size: others - before },
    ].filter((mapping) => mapping.size > 0);
  };
  const idMaps = { uids: around(atUID, own.uids), gids: around(atGID, own.gids) };
  checkMaps(idMaps);
  return { idMaps, user: `${atUID}:${atGID}` };
}

/** An ordinary user gives of its own subordinate IDs. Several containers may keep the user's own number. */
async function chooseAuto(context: Context, wish: AutoMaps, own: ServerUser | undefined): Promise<IDMaps> {
  const { users } = requireHost(context.core);
  const available = own === undefined
    ? await users.subordinate(SUBORDINATES)
    : { uids: [{ host: 1, size: own.uids - 1 }], gids: [{ host: 1, size: own.gids - 1 }] };
  const taken = context.records.all().filter(hasOwnIDs).flatMap(({ idMaps }) => idMaps ?? []);
  const usual = own === undefined ? USUAL_SIZE : Math.min(USUAL_SIZE, Math.floor((own.uids - 1) / SHARES));
  const maps = autoMaps(wish, { available, taken, usual });
  if (own !== undefined) requireOwnIDs(maps, own);
  return maps;
}

function hasOwnIDs({ spec: { userMaps } }: ContainerRecord): boolean {
  return userMaps === undefined || !("keepID" in userMaps || "noMap" in userMaps);
}
