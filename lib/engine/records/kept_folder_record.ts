/** A folder of a caller that is kept between builds. Its files' contents lie in blobs, one behind the other. */
export interface KeptFolderRecord {
  /** The digest of its key, in hexadecimal digits. */
  id: string;
  /** The caller's name of it: `context`. */
  name: string;
  /** The blob that lists the files, with their places. */
  index: { digest: string; size: number };
  /** The blobs of their contents; the list names them by their order. */
  contents: { digest: string; size: number }[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  usedAt: number;
}

/** The digests of all blobs that it is made of. */
export function keptBlobs({ index, contents }: Pick<KeptFolderRecord, "index" | "contents">): string[] {
  return [index, ...contents].map(({ digest }) => digest);
}
