import { existsSync, writeFileSync } from "node:fs";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { readTextBoundedSync } from "../helpers/bounded_read.ts";
import type { ProcessMark } from "../helpers/proc.ts";

const LIMIT = 64 * 1024;

/** Facts kept beside a bundle, by which a later server process finds the container again. */
export interface Facts {
  container: ProcessMark;
  conmon: ProcessMark;
  /** Path below each hierarchy's mount point. */
  cgroup: string;
  /** With a pid namespace of its own, the end of its first process is the end of all. */
  privatePid: boolean;
  /** It has no control group, although this server manages them. */
  withoutGroup?: boolean;
  /** The runtime it was made with, where that is not the server's own. */
  runtime?: string;
  /** The runtime itself must delete it: it has hooks to run then. */
  hooked?: boolean;
  /** The runtime itself must start it likewise. Absent where an earlier version made the container. */
  startHooked?: boolean;
}

/** Reads them; `undefined` where the container was never made whole. */
export function readFacts(path: string): Facts | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Written by writeFacts, in a folder only root can write to.
    return JSON.parse(readTextBoundedSync(path, LIMIT) ?? "") as Facts;
  } catch {
    return undefined;
  }
}

/** Writes them. */
export function writeFacts(path: string, facts: Facts): void {
  writeFileSync(path, JSON.stringify(facts));
}

/** Whether a container has a pid namespace of its own. */
export function hasOwnPids({ spec }: ContainerRecord): boolean {
  return spec.namespaces.pid.mode === "private";
}
