/** A mount as asked for. */
export interface MountSpec {
  /** `overlay` is a folder of the host whose changes are the container's own; the last three are the kernel's. */
  type: "bind" | "tmpfs" | "volume" | "overlay" | "image" | "artifact" | "ramfs" | "devpts" | "mqueue";
  /** Host path for bind and overlay; volume name for volume (empty: anonymous, named at create); an image's or artifact's name. */
  source: string;
  destination: string;
  /** The destination as it was asked for, where that ends with a slash: inspection tells it so. */
  shown?: string;
  /** As `mount(8)` spells them: `ro`, `rprivate`, `noexec`, `size=64m`, …, and Podman's own: `U`, `O`, `idmap`, `nocopy`. */
  options: string[];
  /** The part of a volume or an image that is mounted, instead of all of it. */
  subPath?: string;
  /** Of an image: its ID and layers, base first. */
  image?: { id: string; diffIDs: string[] };
  /** Of an artifact: which of its files, and what they are called; their titles by default. */
  artifact?: { title?: string; digest?: string; name?: string };
  /** A bind's source is a shell pattern, for a mount of each path it fits; asked for at create only. */
  glob?: true;
  /** Make a bind's source, where it is missing, a folder; asked for at create only. */
  makeSource?: boolean;
  /** True for volumes that came from the image or without a name: removed with the container when asked. */
  anonymous?: boolean;
}

/** Whether a mount's changes are the container's own: an overlay over its source. */
export function isOverlay({ type, options }: Pick<MountSpec, "type" | "options">): boolean {
  return type === "overlay" || options.includes("O");
}
