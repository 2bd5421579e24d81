import { detectCompression } from "../../../oci/media_type.ts";
import { readHeader } from "../../../oci/tar/tar_header.ts";

/** The bytes that {@linkcode isArchiveHead} looks at. */
export const ARCHIVE_HEAD = 512;

/** Whether a file that begins with these bytes is a tar archive, plain or compressed with what archives are unpacked from. */
export function isArchiveHead(head: Uint8Array): boolean {
  // bzip2 and xz, which unpacking then refuses by name.
  if (String.fromCharCode(...head.subarray(0, 3)) === "BZh" || (head[0] === 0xfd && head[1] === 0x37)) return true;
  if (detectCompression(head.subarray(0, 6)) !== "none") return true;
  if (head.length < ARCHIVE_HEAD) return false;
  try {
    return readHeader(head).name.length > 0;
  } catch {
    return false;
  }
}
