import type { IDMapping, IDMaps } from "../records/id_maps.ts";

/** How a container's user namespace is had. */
export interface UserNamespaceWish {
  /** The mappings of a new one. */
  maps: IDMaps;
  /** The container whose namespace it is instead. */
  join?: string;
  /** The path of the namespace it is instead. */
  path?: string;
  /** Make the container's network namespace too: it belongs to the user namespace it is made in. */
  network: boolean;
}

/** User namespaces of containers. `Processes.delete` deletes the namespaces; the network's goes with the networks. */
export interface UserNamespaces {
  /** Makes the container's namespace, or finds the one it joins; gives its path. */
  create(containerID: string, wish: UserNamespaceWish): Promise<string>;
  /** The mappings of a namespace that somebody else has made. Throws `EngineError("invalid")` for what is none. */
  mapsOf(path: string): Promise<IDMaps>;
  /** The server's user; undefined where that is the machine's root, whose IDs are all there are. */
  serverUser(): ServerUser | undefined;
  /** The IDs of the host that a user may give out (`subuid(5)`, `subgid(5)`); none where there is no such user. */
  subordinate(user: string): Promise<{ uids: IDRange[]; gids: IDRange[] }>;
}

/** The user of a server that is root in a user namespace only, in which 0 is the user itself. */
export interface ServerUser {
  /** The user's own IDs on the machine. */
  uid: number;
  gid: number;
  /** How many IDs the namespace has: the user's own, and the subordinate ones from 1 on. */
  uids: number;
  gids: number;
}

/** IDs that follow each other. */
export type IDRange = Omit<IDMapping, "container">;
