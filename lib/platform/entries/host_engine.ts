/**
 * The engine of a host: state in SQLite, blobs in files, containers on this machine's kernel where it lets us.
 *
 * @example An engine of this machine, served on a socket of its own
 * ```ts ignore
 * import { engineHandler } from "../../../mod.ts";
 * import { openHostEngine } from "./host_engine.ts";
 * import { listen } from "../http/serve.ts";
 *
 * await using engine = await openHostEngine({ root: "/srv/gantry", runroot: "/run/my-gantry" });
 * await using listener = await listen("unix:///run/my-gantry/gantry.sock", engineHandler(engine));
 * console.log(listener.address);
 * ```
 *
 * @module
 */
import type { Engine } from "../../engine/engine.ts";
import { EngineError } from "../../engine/errors.ts";
import { type HostEngineOptions, openEngineHere } from "./start/engine_here.ts";
import { openEngineAsUser } from "./user/engine_as_user.ts";
import { needsUserNamespace } from "./user/run_as_user.ts";

export {
  CONTAINERS_CONF,
  type HostEngineOptions,
  proxyEnv,
  readContainersConf,
  readRegistriesConf,
  REGISTRIES_CONF,
} from "./start/engine_here.ts";

/**
 * Opens the engine of this host. Throws `EngineError("in_use")` when another server has the root or the runroot: nothing
 * is touched then, and `invalid` where a folder is not named. Where containers cannot run (no Linux, a user without subordinate IDs), everything else works and the engine says why.
 *
 * For an ordinary user of Linux the engine runs in a process of its own, in a user namespace in which it is root, and ends with this
 * process, however that comes; containers go on. Such an engine is called through `engineHandler(engine)` or the client's `open(engine)`:
 * its own members (`images`, `containers`, …) throw `EngineError("unsupported")`, but for `close()`. Options that are functions (`tls`,
 * `credentials`) cannot be had then, except for `log`, and throw the same.
 */
export async function openHostEngine(options: HostEngineOptions): Promise<Engine> {
  requireFolders(options);
  const elsewhere = needsUserNamespace() ? await openEngineAsUser(options) : undefined;
  return elsewhere ?? await openEngineHere(options);
}

/** Callers without types may leave them out. */
function requireFolders(options: Partial<Pick<HostEngineOptions, "root" | "runroot">> | undefined): void {
  const folders = { root: "for what lasts", runroot: "for what a reboot clears" };
  for (const [name, purpose] of Object.entries(folders)) {
    const path = options?.[name as keyof typeof folders];
    if (typeof path === "string" && path !== "") continue;
    throw new EngineError("invalid", `Open engine: the option "${name}" is missing: name a folder ${purpose}`);
  }
}
