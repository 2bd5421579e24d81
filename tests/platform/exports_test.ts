/** Every public file imports by URL: over HTTP, with nothing cached but what the files before it fetched, and no import map. */
import { assert, assertEquals } from "@std/assert";
import { runOk } from "../fixtures/run.ts";

const root = new URL("../../", import.meta.url);

Deno.test("every export of deno.json imports over HTTP from an empty cache", async (t) => {
  const { exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const entries = [
    ...Object.values<string>(exports),
    "./lib/platform/entries/deno.ts",
    "./lib/platform/entries/workers.ts",
  ];
  const folder = await Deno.makeTempDir({ prefix: "gantry-exports-" });
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    asked.push(path);
    const text = await Deno.readTextFile(new URL(`.${path}`, root)).catch(() => undefined);
    const headers = { "content-type": "application/typescript" };
    return text === undefined ? new Response("not found", { status: 404 }) : new Response(text, { headers });
  });
  try {
    for (const entry of entries) {
      await t.step(entry, async () => {
        const url = new URL(entry, `http://127.0.0.1:${server.addr.port}/`).href;
        await Deno.writeTextFile(
          `${folder}/main.ts`,
          `const all = await import(${JSON.stringify(url)}); console.log(Object.keys(all).join()); Deno.exit();`,
        );
        const command = [Deno.execPath(), "run", "-A", "--no-config", "--no-lock", "--quiet", "main.ts"];
        assert((await runOk(command, { cwd: folder, env: { DENO_DIR: `${folder}/cache` } })).trim() !== "");
      });
    }
    assertEquals(asked.filter((path) => !/^\/(mod\.ts|(lib|handlers)\/.*\.ts)$/.test(path)), []);
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
