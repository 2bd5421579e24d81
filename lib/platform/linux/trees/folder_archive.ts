import { READ_TREE_PROGRAM } from "../perl/programs.ts";
import { startAgent } from "./agent.ts";

/** A folder of the host as a tar archive, its entries in a fixed order; no link in it leads the reader out. */
export function folderArchive(path: string): ReadableStream<Uint8Array> {
  return startAgent(READ_TREE_PROGRAM, ["export", path, ""]).output();
}
