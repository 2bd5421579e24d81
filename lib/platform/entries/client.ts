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
import { engineHandler } from "../../../handlers/engine_handler.ts";
import { ClientError } from "../../client/client_error.ts";
import { type EngineClient, type EngineClientOptions, openEngine } from "../../client/engine_client.ts";
import { connectHandler } from "../../client/in_process.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Handler } from "../../rest/context.ts";
import { type AddressOptions, connectAddress } from "./connect_address.ts";
import { readFolder } from "./read_folder.ts";
import { parseServeOptions } from "./serve_options.ts";

export * from "../../client/mod.ts";
export { type AddressOptions, connectAddress } from "./connect_address.ts";
export { openHost as open };

/** How {@linkcode openHost} reaches its target. */
export interface OpenOptions extends AddressOptions, Pick<EngineClientOptions, "tree"> {}

/**
 * Opens a client.
 *
 * Without a target it is this host's engine: the server that `CONTAINER_HOST` or `DOCKER_HOST` names, else the first whose socket is there,
 * of Gantry, Podman and Docker, the user's own before the system's; else, and only then, an engine in this process, on Gantry's usual
 * folders (for which this machine needs what `gantry doctor` tells, and the process to be root).
 *
 * @param target `unix:///path`, `tcp://host:port`, `http://…`, `https://…`, an engine in this process, or its handler
 * @throws {SyntaxError} if an address does not parse
 * @throws {ClientError} `unreachable`, `unauthorized`
 */
export async function openHost(
  target?: string | Engine | Handler,
  options: OpenOptions = {},
): Promise<EngineClient> {
  const client = { readFolder, tree: options.tree };
  const address = target ?? findAddress(process.env, process.getuid?.(), existsSync);
  if (address === undefined) return await openEmbedded();
  if (typeof address === "string") return await openEngine(connectAddress(address, options), client);
  const handler = typeof address === "function" ? address : engineHandler(address);
  return await openEngine(connectHandler(handler), client);
}

/** The address of the server of this host; undefined where there is none. */
export function findAddress(
  env: Readonly<Record<string, string | undefined>>,
  uid: number | undefined,
  exists: (path: string) => boolean,
): string | undefined {
  const named = env.CONTAINER_HOST || env.DOCKER_HOST;
  if (named) return named;
  const own = env.XDG_RUNTIME_DIR ?? (uid === undefined ? undefined : `/run/user/${uid}`);
  const folders = uid === 0 || own === undefined ? ["/run"] : [own, "/run"];
  const paths = folders.flatMap((folder) => SOCKETS.map((socket) => `${folder}/${socket}`));
  const path = paths.find(exists);
  return path && `unix://${path}`;
}

const SOCKETS = ["gantry/gantry.sock", "podman/podman.sock", "docker.sock"];

/** An engine of this process, loaded only when it is needed. */
async function openEmbedded(): Promise<EngineClient> {
  const { openHostEngine } = await import("./host_engine.ts");
  const { root, runroot, runtime, registriesConf } = parseServeOptions([], process.env);
  const engine = await openHostEngine({ root, runroot, runtime, registriesConf }).catch((cause) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("unreachable", `Open this host's engine: no server's socket is there, and ${message}`, {
      cause,
    });
  });
  return await openEngine(connectHandler(engineHandler(engine), () => engine.close()), { readFolder });
}
