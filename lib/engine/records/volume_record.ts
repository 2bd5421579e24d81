import type { TreeLimit } from "./limits.ts";

/** The owner of files, as the kernel counts users and groups. */
export interface FileOwner {
  uid: number;
  gid: number;
}

/** The owner of a folder and its permissions, 0755 by default. */
export interface FolderRights extends FileOwner {
  mode?: number;
}

/** A device, a folder or a file system of the kernel's that a volume shows while it is in use, as mount(8) takes it. */
export interface VolumeDevice {
  /** `tmpfs`, `nfs`, …; `bind` for a folder; empty where the kernel is to find out. */
  type: string;
  /** The device, the folder, or what the file system takes for one. */
  source: string;
  /** Options, separated by commas. */
  options: string;
}

/** The use of a folder that commands of builds keep. */
export interface CacheMount {
  /** The command that it was made for. */
  text: string;
  /** Milliseconds since the epoch. */
  usedAt: number;
  /** The commands that had it. */
  uses: number;
}

/** A tar archive of a volume's content, in the blob store. */
export interface VolumeArchive {
  digest: string;
  /** Bytes. */
  size: number;
}

/** A volume as stored. */
export interface VolumeRecord {
  name: string;
  /** `image`: it began with the files of an image. */
  driver: "local" | "image";
  /** ISO 8601. */
  created: string;
  labels: Record<string, string>;
  /** As inspection shows them. */
  options: Record<string, string>;
  /** Made without a name, most often for one container: removed with that when asked, and pruned by default. */
  anonymous: boolean;
  /** Nothing was copied into it yet: the first container to mount it fills it from its image. */
  needsCopyUp: boolean;
  /** The folder on the host; empty where there is no host. */
  mountpoint: string;
  /** The owner that was requested; the first fill leaves it. */
  owner?: FolderRights;
  /** Mounted on the folder while a container uses the volume. */
  device?: VolumeDevice;
  /** Limits its files, where the file system has project quotas. */
  limit?: TreeLimit;
  /** The content where there is no host: each archive is unpacked over those before it. */
  archives?: VolumeArchive[];
  /** Of a folder that commands of builds keep (`RUN --mount=type=cache`): a part of the build cache, and no volume to its users. */
  cache?: CacheMount;
}

/** The label that Docker gives volumes without a name, and its users filter by. */
export const ANONYMOUS_LABEL = "com.docker.volume.anonymous";
