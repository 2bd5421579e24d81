import type { IDMaps } from "../records/id_maps.ts";

/** How a container's tree is stacked, besides its layers. */
export interface TreeOptions {
  /** The user namespace as in which owners are seen: the image's files are its users'. */
  userns?: string;
  /** The IDs of that namespace. */
  idMaps?: IDMaps;
  /** The owner of the tree's root folder: the host's IDs of the namespace's root user. */
  rootOwner?: { uid: number; gid: number };
  /** Nothing that is written needs to outlast a crash of the host: what is synced need not wait for the disk. */
  volatile?: boolean;
  /** A folder of the host in place of an image. */
  rootfs?: { path: string; overlay: boolean };
}
