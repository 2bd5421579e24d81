/** The same session with the engine's API: by direct call, on Deno and Node 24 over TCP and a Unix socket, and in workerd. */
import { bundled } from "../fixtures/platform/test_cache.ts";
import { listen } from "../../lib/platform/http/listener.ts";
import { registriesConf, startRegistry } from "../fixtures/images/registry.ts";
import { fetchOver } from "./fetch_over.ts";
import { memoryEngine } from "./memory_engine.ts";
import { startNode } from "./served.ts";
import { pushSessionImage, replay, type Send, session } from "./session.ts";
import { startWorkerd } from "./workerd.ts";

const TOKEN = "conformance-token";

/** An engine under test. */
interface Served extends AsyncDisposable {
  send: Send;
}

type Serve = (registries: string, folder: string) => Promise<Served>;

function over(address: string, stop: () => PromiseLike<void>, headers?: HeadersInit): Served {
  return { send: (method, path, body) => fetchOver(address, method, path, body, headers), [Symbol.asyncDispose]: stop };
}

async function onDeno(address: string, registries: string): Promise<Served> {
  const listener = await listen(address, await memoryEngine(registries));
  return over(listener.address, () => listener.close(0));
}

async function onNode(address: string, registries: string): Promise<Served> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-node-" });
  await Deno.writeTextFile(`${folder}/engine.mjs`, await bundled("tests/conformance/engine_node.ts", "node"));
  const running = await startNode(folder, ["engine.mjs", address], { REGISTRIES: registries });
  return over(running.address, () => running[Symbol.asyncDispose]());
}

async function inWorkerd(registries: string, objects?: Record<string, string>): Promise<Served> {
  const workerd = await startWorkerd({
    script: await bundled("lib/platform/entries/workers.ts", "workers"),
    bindings: { GANTRY_TOKEN: TOKEN, GANTRY_REGISTRIES: registries },
    objects,
  });
  return over(workerd.url, () => workerd[Symbol.asyncDispose](), { authorization: `Bearer ${TOKEN}` });
}

const places: Record<string, Serve> = {
  async "by direct call"(registries) {
    const handler = await memoryEngine(registries);
    const send: Send = (method, path, body) =>
      handler(
        new Request(`http://localhost${path}`, { method, body: body === undefined ? undefined : JSON.stringify(body) }),
      );
    return { send, [Symbol.asyncDispose]: () => Promise.resolve() };
  },
  "on Deno over TCP": (registries) => onDeno("tcp://127.0.0.1:0", registries),
  "on Deno over a Unix socket": (registries, folder) => onDeno(`unix://${folder}/gantry.sock`, registries),
  "on Node 24 over TCP": (registries) => onNode("tcp://127.0.0.1:0", registries),
  "on Node 24 over a Unix socket": (registries, folder) => onNode(`unix://${folder}/gantry.sock`, registries),
  "in workerd, in memory": (registries) => inWorkerd(registries),
  "in workerd, in a Durable Object": (registries) => inWorkerd(registries, { ENGINE: "GantryEngine" }),
};

Deno.test("engineHandler() answers the same everywhere", async (t) => {
  const registry = await startRegistry();
  const other = await startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "gantry-conformance-" });
  try {
    for (const [place, serve] of Object.entries(places)) {
      await t.step(place, async (t) => {
        const name = place.toLowerCase().replace(/[^a-z0-9]+/g, "-");
        const image = await pushSessionImage(registry, `session/${name}`);
        const own = await Deno.makeTempDir({ dir: folder });
        await using served = await serve(registriesConf(registry.host, other.host), own);
        for (const exchange of session) {
          await t.step(exchange.request, () => replay(served.send, exchange, image, `${other.host}/${name}`));
        }
      });
    }
  } finally {
    await registry.close();
    await other.close();
    await Deno.remove(folder, { recursive: true });
  }
});
