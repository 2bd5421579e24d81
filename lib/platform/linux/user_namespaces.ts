/**
 * User namespaces that last without a process: each is kept by a file it is mounted on (`runroot/userns/<id>`).
 *
 * @module
 */
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { EngineError } from "../../engine/errors.ts";
import type { IDMapping, IDMaps } from "../../engine/records/id_maps.ts";
import type { UserNamespaces } from "../../engine/ports/user_port.ts";
import { makeNamespaces } from "./mounts/mount_helper.ts";
import { namespaceMaps } from "./namespace_maps.ts";
import { deleteNamespaceAt } from "./networks/netns.ts";
import { unmountAll } from "./mounts/overlay.ts";
import { containerPaths, type HostPaths } from "./helpers/paths.ts";
import { readOwnMap } from "./rootless/outer_user.ts";
import { serverUser, splitMappings } from "./rootless/server_user.ts";
import { subordinateRanges } from "./rootless/subordinate_ids.ts";

/** Opens the user namespaces of a host. */
export function openUserNamespaces(paths: HostPaths, files = ["/etc/subuid", "/etc/subgid"]): UserNamespaces {
  return {
    async create(containerID, { maps, join, path, network }) {
      const { userns, netns } = containerPaths(paths, containerID);
      const other = path ?? (join === undefined ? "" : containerPaths(paths, join).userns);
      if (path !== undefined) await requireMaps(path, maps);
      else if (other !== "" && !existsSync(other)) {
        throw new EngineError("state", `Join user namespace: container ${join} is not running`);
      }
      await mkdir(paths.userns, { recursive: true, mode: 0o700 });
      await deleteUserNamespace(userns);
      if (network) await deleteNamespaceAt(netns);
      if (other === "" || network) {
        const uids = mapLines(splitMappings(maps.uids, readOwnMap("uid_map")));
        const gids = mapLines(splitMappings(maps.gids, readOwnMap("gid_map")));
        await makeNamespaces({ userns, netns: network ? netns : "", join: other, uids, gids });
      }
      return other === "" ? userns : other;
    },
    mapsOf: namespaceMaps,
    serverUser,
    async subordinate(user) {
      const [uids, gids] = await Promise.all(files.map((file) => subordinateRanges(file, [user])));
      return { uids: uids!, gids: gids! };
    },
  };
}

/** Lets a namespace go. Missing is no error. */
export async function deleteUserNamespace(path: string): Promise<void> {
  if (!existsSync(path)) return;
  await unmountAll(path);
  await rm(path, { force: true });
}

/** Throws where a path leads to another namespace than it did when the container was made: its files have the owners of that. */
async function requireMaps(path: string, maps: IDMaps): Promise<void> {
  const { uids, gids } = await namespaceMaps(path);
  if (mapLines(uids) === mapLines(maps.uids) && mapLines(gids) === mapLines(maps.gids)) return;
  throw new EngineError("state", `Join user namespace: "${path}" has other mappings than when the container was made`);
}

function mapLines(mappings: readonly IDMapping[]): string {
  return mappings.map(({ container, host, size }) => `${container} ${host} ${size}\n`).join("");
}
