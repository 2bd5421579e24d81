/** The bundles of `deno task build`, run where nothing of the tree is. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bundles } from "../../scripts/build.ts";
import { bundle } from "../../scripts/bundle.ts";
import { makeProgram } from "../../scripts/package/program_files.ts";
import { mapsFor, traceSources } from "../../scripts/package/trace.ts";
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { fetchOver } from "../conformance/fetch_over.ts";
import { ok, run } from "../fixtures/run.ts";

async function inEmptyFolder(file: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bundle-" });
  try {
    const { entry, target } = bundles[file];
    await Deno.writeTextFile(`${folder}/${file}`, await bundled(entry, target));
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const node = [await nodeProgram()];

Deno.test("dist/gantry.mjs is ASCII, so that V8 keeps it in a byte a letter", async () => {
  const { entry, target } = bundles["gantry.mjs"];
  const text = await bundled(entry, target);
  assertEquals(/[^\0-\x7f].*/.exec(text)?.[0], undefined);
  // An escaped letter means what it did.
  assertMatch(text, /\(ns\|us\|\\u00b5s\|\\u03bcs\|ms\|s\|m\|h\)/);
});

for (const program of ["gantry.mjs", "gantry.cjs"] as const) {
  Deno.test(`places in ${program} are told in the sources`, async () => {
    const { entry, target } = bundles["gantry.mjs"];
    const text = program === "gantry.cjs" ? (await makeProgram())[program] : await bundled(entry, target);
    const lines = text.split("\n");
    const words = "the commands are";
    const line = lines.findIndex((line) => line.includes(words));
    const place = `/usr/lib/gantry/${program}:${line + 1}:${lines[line].indexOf(words) + 1}`;
    const others = `    at ${program}:1000000:1\n    at other.mjs:1:1`;
    const trace = `Error: x\n    at f (file://${place})\n${others}`;
    const told = traceSources(trace, await mapsFor(trace));
    const [, path, row, rest] = /at f \((\S+?):(\d+):\d+\)\n([^]*)/.exec(told) ?? [];
    assertEquals([path, rest], ["lib/platform/entries/gantry_command.ts", others]);
    const source = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert(source.split("\n")[Number(row) - 1].includes(words), told);
  });
}

Deno.test("dist/node.mjs serves on Node 24 from an empty folder and stops on SIGTERM", () =>
  inEmptyFolder("node.mjs", async (folder) => {
    assertMatch(ok(await run([...node, "node.mjs", "--help"], { cwd: folder })), /^Usage: gantry serve/);
    const wrong = await run([...node, "node.mjs", "--listen", "nowhere"], { cwd: folder });
    assertEquals(wrong.code, 2);

    const address = `unix://${folder}/gantry.sock`;
    const child = new Deno.Command(node[0], {
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

Deno.test("dist/gantry.mjs tells its version on a Node that is too old to serve, and says what to use", () =>
  inEmptyFolder("gantry.mjs", async (folder) => {
    const old = await nodeProgram("20");
    assertMatch(ok(await run([old, "gantry.mjs", "version"], { cwd: folder })), /^gantry {3}\d.*\n[^]*Node 20\./);
    const places = ["--no-setup", "--root", `${folder}/root`, "--runroot", `${folder}/run`];
    const { code, stderr } = await run([old, "gantry.mjs", "serve", ...places], { cwd: folder });
    assertEquals(code, 1);
    assertMatch(stderr, /^gantry: Open the store: Node 20\S* has no SQLite; use Node 24 or Deno\n$/);
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

Deno.test("dist/rest-node.mjs is the transport on Node 24: channels on a Unix socket, and a generated client that works", () =>
  inEmptyFolder("rest-node.mjs", async (folder) => {
    await Deno.writeTextFile(
      `${folder}/main.mjs`,
      `import { api, chan, clientModule, connect, events, implement, int64, link, listenAndServe, rest, resumable, surfaces, xml }
         from "./rest-node.mjs";
       const clock = api("http://localhost", { Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]) });
       const functions = implement(clock, {
         Ticks: (to) => resumable(async function* () {
           for (let n = 1n; n <= to; n++) yield [String(n), n];
         }),
       });
       const server = await listenAndServe("unix://${folder}/s/clock.sock", null, functions, { fallback: surfaces(clock) });
       const client = connect(server.address);
       const seen = [typeof xml, typeof events];
       for await (const n of await link(clock, undefined, client).Ticks(2n, { websocket: true })) seen.push(n);
       const text = await (await client.fetch(new Request("http://localhost/client.js"))).text();
       const made = (await import("data:text/javascript," + encodeURIComponent(text))).connect("http://localhost", client);
       for (const way of [{}, { events: true }]) for await (const n of await made.Ticks(2n, way)) seen.push(n);
       console.log(seen.join());
       client[Symbol.dispose]();
       await server.close();`,
    );
    assertEquals(ok(await run([...node, "main.mjs"], { cwd: folder })).trim(), "function,function,1,2,1,2,1,2");
  }));

Deno.test("dist/rest.js names no runtime, and its surfaces work when they are minified", () =>
  inEmptyFolder("rest.js", async (folder) => {
    const code = await Deno.readTextFile(`${folder}/rest.js`);
    assertEquals(code.match(/^import\b.*$/gm), null);
    assert(!/["']node:|\bDeno\./.test(code));
    await Deno.writeTextFile(
      `${folder}/small.js`,
      await bundle(bundles["rest.js"].entry, "portable", { minify: true }),
    );
    const { api, clientModule, handler, implement, int64, rest } = await import(`file://${folder}/small.js`);
    const sum = api("http://x", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
    const fetch = handler(null, implement(sum, { Add: (a: bigint, b: bigint) => a + b }));
    const module = await import(`data:text/javascript,${encodeURIComponent(clientModule(sum))}`);
    assertEquals(await module.connect("http://x", { fetch }).Add(1n, 2n), 3n);
  }));
