/** The bundles of `deno task build`, run where nothing of the tree is. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bundles } from "../../scripts/build.ts";
import { bundle } from "../../scripts/bundle.ts";
import { fetchOver } from "../conformance/fetch_over.ts";
import { ok, run } from "../fixtures/run.ts";

async function inEmptyFolder(file: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bundle-" });
  try {
    const { entry, target } = bundles[file];
    await Deno.writeTextFile(`${folder}/${file}`, await bundle(entry, target));
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const node = ["npx", "-y", "node@24"];

Deno.test("dist/node.mjs serves on Node 24 from an empty folder and stops on SIGTERM", () =>
  inEmptyFolder("node.mjs", async (folder) => {
    assertMatch(ok(await run([...node, "node.mjs", "--help"], { cwd: folder })), /^Usage: gantry serve/);
    const wrong = await run([...node, "node.mjs", "--listen", "nowhere"], { cwd: folder });
    assertEquals(wrong.code, 2);

    // Its own process ID, not that of npx: a signal has to reach it.
    const path = ok(await run([...node, "-p", "process.execPath"], { cwd: folder })).trim();
    const address = `unix://${folder}/gantry.sock`;
    const child = new Deno.Command(path, {
      args: ["node.mjs", "--listen", address, "--root", `${folder}/root`, "--runroot", `${folder}/run`],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const complaints = new Response(child.stderr).text();
    try {
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const { value } = await reader.read();
      assertEquals(value, `gantry: ready on ${address}\n`, value === undefined ? await complaints : undefined);
      for (const path of ["/_ping", "/v4.3.1/libpod/info", "/images/json"]) {
        assertEquals((await fetchOver(address, "GET", path)).status, 200, path);
      }
      child.kill("SIGTERM");
      assertEquals((await reader.read()).done, true);
    } finally {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended */ }
    }
    assertEquals((await child.status).code, 0, await complaints);
  }));

Deno.test("dist/gantry.js is the portable face: it names no runtime and imports nothing", () =>
  inEmptyFolder("gantry.js", async (folder) => {
    const code = await Deno.readTextFile(`${folder}/gantry.js`);
    assertEquals(code.match(/^import\b.*$/gm), null);
    assert(!/["']node:|\bDeno\./.test(code));
    const script = 'const all = await import("./gantry.js"); console.log(typeof all.Engine, typeof all.engineHandler)';
    for (const command of [[...node, "--input-type=module", "-e"], [Deno.execPath(), "eval"]]) {
      assertEquals(ok(await run([...command, script], { cwd: folder })).trim(), "function function");
    }
  }));

Deno.test("dist/gantry-node.mjs is the library on Node 24: engines are opened, served and called from an empty folder", () =>
  inEmptyFolder("gantry-node.mjs", async (folder) => {
    await Deno.writeTextFile(
      `${folder}/main.mjs`,
      `import { engineHandler, listen, openHostEngine, openMemoryEngine, rest, systemAPI } from "./gantry-node.mjs";
       const engine = await openMemoryEngine();
       const listener = await listen("tcp://127.0.0.1:0", engineHandler(engine));
       const client = rest.link(systemAPI, listener.address.replace("tcp:", "http:"));
       console.log((await client.VersionHandler()).Os, typeof openHostEngine);
       await listener.close();
       await engine.close();`,
    );
    assertEquals(ok(await run([...node, "main.mjs"], { cwd: folder })).trim(), "linux function");
  }));
