import { engineHandler } from "../../handlers/engine_handler.ts";
import { openMemoryEngine } from "../../lib/platform/entries/memory_engine.ts";
import type { Handler } from "../../lib/rest/context.ts";

/** The API over an engine in memory, without a kernel, on Deno or Node. */
export async function memoryEngine(registries: string): Promise<Handler> {
  return engineHandler(
    await openMemoryEngine({ registries, defaultPlatform: { os: "linux", architecture: "amd64" } }),
  );
}
