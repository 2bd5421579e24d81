import { engineHandler } from "../../handlers/engine_handler.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { parseRegistriesConf } from "../../lib/oci/registries_conf.ts";
import { hostClock } from "../../lib/platform/clock.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../lib/platform/memory_blobs.ts";
import { MemoryStore } from "../../lib/platform/memory_store.ts";
import { hostNet } from "../../lib/platform/net.ts";
import { hostRandom } from "../../lib/platform/random.ts";
import type { Handler } from "../../lib/rest/context.ts";

/** The API over an engine in memory, without a kernel, on Deno or Node. */
export async function memoryEngine(registriesConf: string): Promise<Handler> {
  const codec = hostCodec();
  const engine = await Engine.open({
    store: new MemoryStore(),
    blobs: new MemoryBlobs(codec),
    net: hostNet(),
    codec,
    clock: hostClock(),
    random: hostRandom(),
    host: { unavailable: "this engine has no kernel" },
  }, { registries: parseRegistriesConf(registriesConf), defaultPlatform: { os: "linux", architecture: "amd64" } });
  return engineHandler(engine);
}
