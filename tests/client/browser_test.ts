/** The client in a page of Chromium, before an engine that pretends. */
import { assertEquals } from "@std/assert";
import { engineHandler } from "../../handlers/engine_handler.ts";
import type { DoorOptions } from "../../lib/platform/entries/start/door_options.ts";
import { openDoors, readDoorKeys } from "../../lib/platform/entries/start/open_doors.ts";
import type { Listener } from "../../lib/platform/http/listener.ts";
import { listen } from "../../lib/platform/http/serve.ts";
import { openPretendEngine } from "../../lib/platform/entries/pretend_engine.ts";
import { bearer } from "../../lib/rest/mod.ts";
import { bundled } from "../fixtures/platform/test_cache.ts";
import { browserTest, withPage } from "../fixtures/rest/chromium.ts";

/** A program of the page: it shows what it has seen. */
const PROGRAM = `
import { connectWeb, openEngine } from "/client.mjs";
const seen = [];
try {
const engine = await openEngine(connectWeb(new URLSearchParams(location.search).get("engine") ?? location.origin, { token: "secret-token" }));
seen.push((await engine.run("tool", ["upper"], { stdin: "typed in a page" })).stdout);
const box = await engine.start({ image: "tool", command: ["wait"], ready: { log: "waiting" } });
seen.push((await box.exec(["upper"], { check: false })).exitCode, (await box.exec(["upper"], { stdin: "more" })).stdout);
const session = await box.interact(["upper"]);
await session.write("both ways");
await session.end();
seen.push((await session.collect()).stdout);
await box.files.write("/etc/note", "kept");
seen.push(await box.files.text("/etc/note"), ...await Array.fromAsync(box.logs()));
await box.remove();
seen.push((await engine.list({ all: true })).length);
await engine.close();
} catch (error) {
  seen.push(error);
}
document.body.textContent = seen.join();
document.body.id = "done";
`;

/** The doors of `serve` for pages of an origin. */
function doorOptions(origin: string, tokenFile: string): DoorOptions {
  const listen = ["tcp://127.0.0.1:0"];
  return { listen, tokenFile, allowOrigins: [origin], logLevel: "error", logFormat: "text" };
}

browserTest(
  "a page runs containers and further processes, of its own origin and of another, and types to them",
  async () => {
    const pretence = await openPretendEngine({
      images: {
        tool: async ({ args, stdin, write, signal }) => {
          if (args[0] === "upper") return write((await new Response(stdin).text()).toUpperCase());
          write("waiting\n");
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      },
    });
    const client = await bundled("lib/client/mod.ts", "portable");
    const handler = engineHandler(pretence, { auth: bearer("secret-token") });
    const files: Record<string, [type: string, text: string]> = {
      "/page": [
        "text/html",
        `<!doctype html><title>Client</title><body><script type="module" src="/page.mjs"></script>`,
      ],
      "/page.mjs": ["text/javascript", PROGRAM],
      "/client.mjs": ["text/javascript", client],
    };
    const tokenFile = await Deno.makeTempFile({ prefix: "gantry-token-" });
    await Deno.writeTextFile(tokenFile, "secret-token", { mode: 0o600 });
    let door: Listener | undefined;
    const server = await listen("tcp://127.0.0.1:0", (request, platform) => {
      const file = files[new URL(request.url).pathname];
      if (file === undefined) return handler(request, platform);
      return Promise.resolve(new Response(file[1], { headers: { "content-type": file[0] } }));
    }, { authenticated: true, hijacks: (method, path) => method === "POST" && path.endsWith("/start") });
    try {
      const origin = server.address.replace("tcp:", "http:");
      const keys = await readDoorKeys(doorOptions(origin, tokenFile), () => {});
      const other = engineHandler(pretence, { auth: keys.auth });
      [door] = await openDoors(doorOptions(origin, tokenFile), keys, other, () => {});
      await withPage(origin, async ({ page, troubles }) => {
        const elsewhere = door!.address.replace("tcp:", "http:");
        for (const address of ["/page", `/page?engine=${encodeURIComponent(elsewhere)}`]) {
          await page.goto(origin + address);
          await page.locator("body#done").waitFor();
          const seen = await page.locator("body").textContent();
          const unexpected = troubles.filter((text) => !text.startsWith(elsewhere));
          assertEquals([seen, unexpected], ["TYPED IN A PAGE,0,MORE,BOTH WAYS,kept,waiting,0", []], address);
        }
      });
    } finally {
      await door?.close();
      await Deno.remove(tokenFile);
      await server.close();
      await pretence.close();
    }
  },
);
