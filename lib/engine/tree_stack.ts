/** How a container's tree is stacked, besides its layers. */
export interface TreeOptions {
  /** The user namespace as in which owners are seen: the image's files are its users'. */
  userns?: string;
  /** Who owns the root in there, on the host. */
  rootOwner?: { uid: number; gid: number };
  /** A folder of the host in place of an image. */
  rootfs?: { path: string; overlay: boolean };
}
