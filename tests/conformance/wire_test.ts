/**
 * The same bytes against the listener on Deno and on Node 24, over TCP and over a Unix socket; the older versions of Node that are supported get what
 * well-behaved peers send, over TCP. The channels in workerd too.
 */
import { assertEquals } from "@std/assert";
import { bundled } from "../fixtures/platform/test_cache.ts";
import { channelLoad, plainSockets } from "./channel_load.ts";
import { channels } from "./channels.ts";
import { forms } from "./forms.ts";
import { hostile, IMPATIENCE, impatient } from "./hostile.ts";
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
        const address = transport === "TCP" ? "tcp://127.0.0.1:0" : `unix://${folder}/s/gantry.sock`;
        await using served = await serve(address);
        for (const [suite, scenarios] of Object.entries(suites)) {
          for (const [name, scenario] of Object.entries(scenarios)) {
            await t.step(`${suite}: ${name}`, () => scenario(served));
          }
        }
        for (const [name, scenario] of Object.entries(hostile)) {
          await t.step(`hostile peers: ${name}`, () => scenario(served));
        }
        await using hasty = await serve(address.replace("/s/", "/hasty/"), { patience: IMPATIENCE });
        for (const [name, scenario] of Object.entries(impatient)) {
          await t.step(`hostile peers: ${name}`, () => scenario(hasty));
        }
        if (!served.tcp) return;
        const url = served.address.replace(/^tcp/, "http");
        for (const [name, scenario] of Object.entries({ ...channels, ...channelLoad, ...plainSockets })) {
          await t.step(`channels: ${name}`, () => scenario(url));
        }
        for (const [name, scenario] of Object.entries(forms)) await t.step(`forms: ${name}`, () => scenario(url));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

/** Node 20 hands over each connection that wishes for another protocol: an answer is the last on it, and says so. */
const wishesOnNode20: Scenario = async (served) => {
  await using peer = await served.connect();
  const head = "Host: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n";
  peer.write(`GET /status?code=200&body=plain HTTP/1.1\r\n${head}`);
  const { body, headers } = await peer.response();
  assertEquals([body, headers.get("connection"), await peer.rest()], ["plain", "close", ""]);
};
const { "leaves alone the wish to change to a protocol that is not served": _, ...others } = messages;
const olderSuites: Record<string, typeof suites> = {
  "20": { ...suites, messages: { ...others, "answers a wish for another protocol, and closes": wishesOnNode20 } },
  "22": suites,
};

for (const [version, suites] of Object.entries(olderSuites)) {
  Deno.test(`listen() on Node ${version} over TCP`, async (t) => {
    await using served = await onNode("tcp://127.0.0.1:0", undefined, version);
    for (const [suite, scenarios] of Object.entries(suites)) {
      for (const [name, scenario] of Object.entries(scenarios)) {
        await t.step(`${suite}: ${name}`, () => scenario(served));
      }
    }
    const url = served.address.replace(/^tcp/, "http");
    for (const [name, scenario] of Object.entries({ ...channels, ...plainSockets })) {
      await t.step(`channels: ${name}`, () => scenario(url));
    }
    for (const [name, scenario] of Object.entries(forms)) await t.step(`forms: ${name}`, () => scenario(url));
  });
}

Deno.test("channelResponse() and forms in workerd", async (t) => {
  const script = await bundled("tests/conformance/sample_workers.ts", "workers");
  await using workerd = await startWorkerd({ script, objects: { SAMPLE: "Sample" }, flags: ["enable_request_signal"] });
  for (const [name, scenario] of Object.entries({ ...channels, ...channelLoad, ...forms })) {
    await t.step(name, () => scenario(workerd.url));
  }
});
