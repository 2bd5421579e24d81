/**
 * An engine in memory, without a kernel, on Deno and Node: for trying things out and for tests of what uses an engine. Images are
 * pulled, listed and inspected for real; what needs a kernel fails with `EngineError("unsupported")`.
 *
 * @module
 */
import process from "node:process";
import { Engine } from "../../engine/engine.ts";
import type { EngineOptions } from "../../engine/options.ts";
import { parseRegistriesConf } from "../../oci/registry/registries_conf.ts";
import { hostClock } from "../clock.ts";
import { hostCodec } from "../codec.ts";
import { MemoryBlobs } from "../storage/memory_blobs.ts";
import { MemoryStore } from "../storage/memory_store.ts";
import { hostNet } from "../net.ts";
import { hostRandom } from "../random.ts";

/** How an engine in memory is opened; everything has a default. */
export interface MemoryEngineOptions extends Omit<EngineOptions, "registries"> {
  /** The text of a `registries.conf`; without one, short names go to docker.io. */
  registries?: string;
}

/**
 * Opens an engine that holds everything in memory. {@linkcode Engine.close} deletes all of it, and so does the end of the
 * process.
 *
 * @example
 * ```ts
 * import { engineHandler, systemAPI } from "../../../mod.ts";
 * import { link } from "../../rest/mod.ts";
 * import { openMemoryEngine } from "./memory_engine.ts";
 *
 * const engine = await openMemoryEngine();
 * const client = link(systemAPI, "http://localhost", { fetch: engineHandler(engine) });
 * console.assert((await client.VersionHandler()).Os === "linux");
 * await engine.close();
 * ```
 *
 * @throws {SyntaxError} if `registries` does not parse
 */
export async function openMemoryEngine({ registries, ...options }: MemoryEngineOptions = {}): Promise<Engine> {
  const codec = hostCodec();
  const ports = {
    store: new MemoryStore(),
    blobs: new MemoryBlobs(codec),
    net: hostNet(),
    codec,
    clock: hostClock(),
    random: hostRandom(),
    host: { unavailable: "this engine has no kernel" },
  };
  const conf = parseRegistriesConf(registries ?? "");
  const searched = conf.unqualifiedSearch.length > 0 ? conf : { ...conf, unqualifiedSearch: ["docker.io"] };
  const defaultPlatform = { os: "linux", architecture: architectureOf(process.arch) };
  return await Engine.open(ports, { defaultPlatform, ...options, registries: searched });
}

/** Go's name of a processor, by Node's. */
export function architectureOf(arch: string): string {
  return ARCHITECTURES[arch] ?? arch;
}

/** Go's names of processors, where Node has others. */
const ARCHITECTURES: Partial<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };
