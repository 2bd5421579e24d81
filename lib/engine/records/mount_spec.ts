/** The fields that every kind of mount has. */
interface MountPlace {
  destination: string;
  /** The destination as it was asked for, where that ends with a slash: inspection tells it so. */
  shown?: string;
  /** As `mount(8)` spells them: `ro`, `rprivate`, `noexec`, `size=64m`, …, and Podman's own: `U`, `O`, `idmap`, `nocopy`. */
  options: string[];
}

/** A path of the host. */
export interface BindMount extends MountPlace {
  type: "bind";
  source: string;
  /** The part of the source that is mounted, instead of all of it. */
  subPath?: string;
}

/** A folder of the host whose changes are the container's own. */
export interface OverlayMount extends MountPlace {
  type: "overlay";
  source: string;
}

/** A volume. */
export interface VolumeMount extends MountPlace {
  type: "volume";
  /** The volume's name; empty in a request: anonymous, named at create. */
  source: string;
  /** The part of the volume that is mounted, instead of all of it. */
  subPath?: string;
  /** True for volumes that came from the image or without a name: removed with the container when asked. */
  anonymous?: boolean;
  /** The labels and the driver's options that the volume gets where it is not there yet. */
  making?: { labels?: Record<string, string>; options?: Record<string, string> };
}

/** The files of an image. */
export interface ImageMount extends MountPlace {
  type: "image";
  /** The image's name as asked for. */
  source: string;
  /** The part of the image that is mounted, instead of all of it. */
  subPath?: string;
  /** Its ID and layers, base first, as they were when the container was made. */
  image: { id: string; diffIDs: string[] };
}

/** The files of an artifact. */
export interface ArtifactMount extends MountPlace {
  type: "artifact";
  /** The artifact's name. */
  source: string;
  /** Which of its files, and what they are called; their titles by default. */
  artifact?: { title?: string; digest?: string; name?: string };
}

/** A file system of the kernel's. */
export interface KernelMount extends MountPlace {
  type: "tmpfs" | "ramfs" | "devpts" | "mqueue";
  /** The type once more, as `/proc/mounts` has it. */
  source: string;
}

/** A mount of a container, as stored. */
export type MountSpec = BindMount | OverlayMount | VolumeMount | ImageMount | ArtifactMount | KernelMount;

/** A bind as asked for. */
export interface BindRequest extends BindMount {
  /** The source is a shell pattern, for a mount of each path it fits. */
  glob?: true;
  /** Make the source, where it is missing, a folder. */
  makeSource?: boolean;
}

/** The files of an image as asked for: which layers they come from is seen at create. */
export type ImageRequest = Omit<ImageMount, "image">;

/** A mount as asked for. */
export type MountRequest = Exclude<MountSpec, BindMount | ImageMount> | BindRequest | ImageRequest;

/** Tells whether a mount's changes are the container's own: an overlay over its source. */
export function isOverlay({ type, options }: Pick<MountRequest, "type" | "options">): boolean {
  return type === "overlay" || options.includes("O");
}
