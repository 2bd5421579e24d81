/** The folders of a server whose options name none. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const DEFAULT_ROOT = "/var/lib/gantry";

/** The folders of whoever names none. */
export interface Homes {
  root: string;
  runroot: string;
  /** The folder of the quadlets of this root; absent where it is in the root. */
  quadlets?: string;
}

/** The folders of root. */
function systemFolders(): Homes {
  return { root: DEFAULT_ROOT, runroot: "/run/gantry", quadlets: "/etc/containers/systemd" };
}

/** The folders of another user, by the XDG Base Directory Specification. */
function userFolders(env: Record<string, string | undefined>, uid: number): Homes {
  return {
    root: join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "gantry"),
    runroot: join(env.XDG_RUNTIME_DIR || `/tmp/gantry-run-${uid}`, "gantry"),
    quadlets: join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "containers", "systemd"),
  };
}

/** The root and the runroot of a server whose options may name them. Each root has a runroot of its own. */
export function usualFolders(
  env: Record<string, string | undefined>,
  uid: number,
  given: { root?: string; runroot?: string },
): Homes {
  const homes = uid === 0 ? systemFolders() : userFolders(env, uid);
  const usualRoot = resolve(homes.root);
  const root = given.root ?? usualRoot;
  const runroot = given.runroot ?? resolve(root === usualRoot ? homes.runroot : besideRunroot(homes.runroot, root));
  // Units of the system are run by one server: that of the usual root.
  return { root, runroot, ...root === usualRoot && { quadlets: homes.quadlets } };
}

/** A runroot that no other root has by default. */
function besideRunroot(runroot: string, root: string): string {
  return `${runroot}-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
}
