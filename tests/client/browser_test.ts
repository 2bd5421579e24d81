/** The client in a page of Chromium, before an engine that pretends. */
import { assertEquals } from "@std/assert";
import { engineHandler } from "../../handlers/engine_handler.ts";
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
const engine = await openEngine(connectWeb(location.origin, { token: "secret-token" }));
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

browserTest("a page runs containers and further processes with its token, and types to both by WebSocket", async () => {
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
    "/page": ["text/html", `<!doctype html><title>Client</title><body><script type="module" src="/page.mjs"></script>`],
    "/page.mjs": ["text/javascript", PROGRAM],
    "/client.mjs": ["text/javascript", client],
  };
  const server = await listen("tcp://127.0.0.1:0", (request, platform) => {
    const file = files[new URL(request.url).pathname];
    if (file === undefined) return handler(request, platform);
    return Promise.resolve(new Response(file[1], { headers: { "content-type": file[0] } }));
  }, { authenticated: true, hijacks: (method, path) => method === "POST" && path.endsWith("/start") });
  try {
    const origin = server.address.replace("tcp:", "http:");
    await withPage(origin, async ({ page, troubles }) => {
      await page.goto(`${origin}/page`);
      await page.locator("body#done").waitFor();
      const seen = await page.locator("body").textContent();
      assertEquals([seen, troubles], ["TYPED IN A PAGE,0,MORE,BOTH WAYS,kept,waiting,0", []]);
    });
  } finally {
    await server.close();
    await pretence.close();
  }
});
