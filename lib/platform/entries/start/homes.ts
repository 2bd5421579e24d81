/** The folders of a server whose options name none. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

const DEFAULT_ROOT = "/var/lib/gantry";

/** The folders of whoever names none. */
export interface Homes {
  root: string;
  runroot: string;
  /** The folder of the quadlets of this root. */
  quadlets: string;
}

/** The folders of root. */
export function systemFolders(): Homes {
  return { root: DEFAULT_ROOT, runroot: "/run/gantry", quadlets: "/etc/containers/systemd" };
}

/** The folders of another user, by the XDG Base Directory Specification. */
export function userFolders(env: Record<string, string | undefined>, uid: number): Homes {
  return {
    root: join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "gantry"),
    runroot: join(env.XDG_RUNTIME_DIR || `/tmp/gantry-run-${uid}`, "gantry"),
    quadlets: join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "containers", "systemd"),
  };
}

/** A runroot that no other root has by default. */
export function besideRunroot(runroot: string, root: string): string {
  return `${runroot}-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
}
