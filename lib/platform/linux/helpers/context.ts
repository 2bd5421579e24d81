import type { HostPaths } from "./paths.ts";
import type { Sweeper } from "./sweeper.ts";

/** The context of every part of the Linux host. */
export interface HostContext {
  paths: HostPaths;
  /** Which OCI runtime to drive: `auto`, `crun`, `runc`, or a path. */
  runtime: string;
  /** Folders with hooks of the administrator's; the usual ones where absent. */
  hookFolders?: readonly string[];
  /** Folders with files of the Container Device Interface; the usual ones where absent. */
  deviceFolders?: readonly string[];
  /** Deletes left-overs behind everything else; where it is absent they are waited for. */
  sweeper?: Sweeper;
  /** Says what an operator should know; never secrets. */
  log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
}
