/** The same bytes against the listener on Deno and on Node 24, over TCP and over a Unix socket; its channels in workerd too. */
import { bundle } from "../../scripts/bundle.ts";
import { channelLoad, plainSockets } from "./channel_load.ts";
import { channels } from "./channels.ts";
import { hostile } from "./hostile.ts";
import { raw } from "./raw_wire.ts";
import { onDeno, onNode } from "./served.ts";
import { messages, type Scenario, streams } from "./wire.ts";
import { startWorkerd } from "./workerd.ts";

const runtimes = { "Deno": onDeno, "Node 24": onNode };
const suites: Record<string, Record<string, Scenario>> = { messages, streams, "connections taken over": raw };

for (const [runtime, serve] of Object.entries(runtimes)) {
  for (const transport of ["TCP", "a Unix socket"]) {
    Deno.test(`listen() on ${runtime} over ${transport}`, async (t) => {
      const folder = await Deno.makeTempDir({ prefix: "gantry-wire-" });
      try {
        await using served = await serve(transport === "TCP" ? "tcp://127.0.0.1:0" : `unix://${folder}/s/gantry.sock`);
        for (const [suite, scenarios] of Object.entries(suites)) {
          for (const [name, scenario] of Object.entries(scenarios)) {
            await t.step(`${suite}: ${name}`, () => scenario(served));
          }
        }
        for (const [name, scenario] of Object.entries(hostile)) {
          await t.step(`hostile peers: ${name}`, () => scenario(served));
        }
        if (!served.tcp) return;
        const url = served.address.replace(/^tcp/, "http");
        for (const [name, scenario] of Object.entries({ ...channels, ...channelLoad, ...plainSockets })) {
          await t.step(`channels: ${name}`, () => scenario(url));
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

Deno.test("channelResponse() in workerd", async (t) => {
  const script = await bundle("tests/conformance/sample_workers.ts", "workers");
  await using workerd = await startWorkerd({ script, objects: { SAMPLE: "Sample" }, flags: ["enable_request_signal"] });
  for (const [name, scenario] of Object.entries({ ...channels, ...channelLoad })) {
    await t.step(name, () => scenario(workerd.url));
  }
});
