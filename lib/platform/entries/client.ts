/**
 * The client for programs on Deno and Node: {@linkcode open} finds the engine of this host, or goes to an address. A page loads `./client/web`
 * in its place, which has all but this.
 *
 * @example Five lines with containers
 * ```ts ignore
 * import { open } from "./client.ts";
 *
 * await using engine = await open(); // or open("unix:///run/podman/podman.sock"), open("https://…", { token })
 * const { stdout } = await engine.run("alpine", ["echo", "hi"]);
 * await using db = await engine.start({ image: "postgres", ports: { 5432: 0 }, ready: { log: "ready to accept" } });
 * console.log(stdout, db.port(5432));
 * ```
 *
 * @module
 */
import { existsSync } from "node:fs";
import process from "node:process";
import { ClientError } from "../../client/client_error.ts";
import { type EngineClient, type EngineClientOptions, openEngine } from "../../client/engine_client.ts";
import { connectHandler } from "../../client/connections/in_process.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Handler } from "../../rest/context.ts";
import { type AddressOptions, connectAddress } from "./connect_address.ts";
import { readFolder } from "./read_folder.ts";

export * from "../../client/mod.ts";
export { type AddressOptions, connectAddress } from "./connect_address.ts";
export { openClient as open };

/** How {@linkcode openClient} reaches its target. */
export interface OpenOptions extends AddressOptions, Pick<EngineClientOptions, "tree"> {}

/**
 * Opens a client.
 *
 * Without a target it is this host's engine: the server that `CONTAINER_HOST` or `DOCKER_HOST` names, else the first that answers on its socket,
 * of Gantry, Podman and Docker, the user's own before the system's; else, and only then, an engine of this program, on Gantry's usual
 * folders (for which this machine needs what `gantry doctor` tells). An ordinary user's runs in a process of its own, see `openHostEngine()`.
 *
 * @param target `unix:///path`, `tcp://host:port`, `http://…`, `https://…`, an engine in this process, or its handler
 * @throws {SyntaxError} if an address does not parse
 * @throws {ClientError} `unreachable`, `unauthorized`
 */
export async function openClient(
  target?: string | Engine | Handler,
  options: OpenOptions = {},
): Promise<EngineClient> {
  const client = { readFolder, tree: options.tree };
  if (typeof target === "string") return await openEngine(connectAddress(target, options), client);
  if (typeof target === "function") return await openEngine(connectHandler(target), client);
  const found = target === undefined ? await openFirst(options, client) : undefined;
  if (found !== undefined) return found;
  const { connectEmbedded, connectEngine } = await import("./embedded_engine.ts");
  return await openEngine(target === undefined ? await connectEmbedded() : connectEngine(target), client);
}

/** Opens the first server of this host that answers; a socket may be left over from one that has gone. */
async function openFirst(
  options: AddressOptions,
  client: EngineClientOptions,
): Promise<EngineClient | undefined> {
  const { named, sockets } = listAddresses(process.env, process.getuid?.(), existsSync);
  if (named !== undefined) return await openEngine(connectAddress(named, options), client);
  for (const address of sockets) {
    try {
      return await openEngine(connectAddress(address, options), client);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "unreachable") throw error;
    }
  }
  return undefined;
}

/** The servers of this host: the one that the environment names, and those whose sockets are there, best first. */
export function listAddresses(
  env: Readonly<Record<string, string | undefined>>,
  uid: number | undefined,
  exists: (path: string) => boolean,
): { named: string | undefined; sockets: string[] } {
  const own = env.XDG_RUNTIME_DIR || (uid === undefined ? undefined : `/run/user/${uid}`);
  const folders = uid === 0 || own === undefined ? ["/run"] : [own, "/run"];
  const paths = folders.flatMap((folder) => SOCKETS.map((socket) => `${folder}/${socket}`));
  const sockets = paths.filter(exists).map((path) => `unix://${path}`);
  return { named: env.CONTAINER_HOST || env.DOCKER_HOST || undefined, sockets };
}

const SOCKETS = ["gantry/gantry.sock", "podman/podman.sock", "docker.sock"];
