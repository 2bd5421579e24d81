/**
 * What the README and the deploy page say to do, done: their files are written as they stand, and their commands run, on Deno,
 * Node 24 and workerd. Only the port is another one.
 */
import { assert, assertEquals } from "@std/assert";
import { bundles } from "../../scripts/build.ts";
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { freePort } from "../fixtures/images/registry.ts";
import { ok, run } from "../fixtures/run.ts";
import { startProgram } from "../fixtures/start_program.ts";

const root = new URL("../../", import.meta.url);
const texts = await Promise.all(
  ["README.md", "docs/transport/deploy.md"].map((path) => Deno.readTextFile(new URL(path, root))),
);

/** The files that the pages show, by the name in their first line. */
function shown(): Map<string, string> {
  const blocks = texts.flatMap((text) => [...text.matchAll(/^```[a-z ]+\n((?:\/\/|#) (\S+\.\w+)\n[^]*?)^```$/gm)]);
  return new Map(blocks.map(([, text, name]) => [name, text]));
}

/** A folder with files of the pages and bundles, and a port that stands for theirs. */
async function folderWith(names: string[], built: string[]) {
  const folder = await Deno.makeTempDir({ prefix: "gantry-docs-" });
  const port = await freePort();
  const files = shown();
  for (const name of names) {
    const text = files.get(name);
    assert(text !== undefined, `no page shows ${name}`);
    await Deno.writeTextFile(`${folder}/${name}`, text.replaceAll("8000", String(port)));
  }
  for (const file of built) {
    await Deno.writeTextFile(`${folder}/${file}`, await bundled(bundles[file].entry, bundles[file].target));
  }
  return { folder, port, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** A package's own program, so that a signal reaches it and not npx. */
async function programOf(specifier: string, name: string): Promise<string> {
  return ok(await run(["npx", "-y", "-p", specifier, "-c", `realpath "$(command -v ${name})"`])).trim();
}

Deno.test("the README's first API is served by deno serve, and called", async () => {
  await using made = await folderWith(["add.ts", "call.ts"], []);
  // Out of the tree its name is mapped to where the tree is served from; within, the examples of the guide show that it is known.
  const imports = { "@gantry/gantry/rest": new URL("lib/rest/mod.ts", root).href };
  await Deno.writeTextFile(`${made.folder}/deno.json`, JSON.stringify({ imports }));
  const command = [Deno.execPath(), "serve", "--port", String(made.port), "add.ts"];
  await using server = await startProgram(command, made.folder, `http://localhost:${made.port}/sum?a=1&b=2`);
  assertEquals(server.answer, "3");
  const call = [Deno.execPath(), "run", "--allow-net", "call.ts"];
  assertEquals(ok(await run(call, { cwd: made.folder })).trim(), "3n");
});

Deno.test("the README's first API runs on Node 24, from a folder with the bundle alone", async () => {
  await using made = await folderWith(["add.mjs"], ["rest-node.mjs"]);
  const node = await nodeProgram();
  await using server = await startProgram([node, "add.mjs"], made.folder, `http://localhost:${made.port}/sum?a=1&b=2`);
  assertEquals(server.answer, "3");
});

Deno.test("the README's first API runs in workerd, configured as the deploy page says", async () => {
  await using made = await folderWith(["worker.js", "config.capnp"], ["rest.js"]);
  const [, specifier] = /npx -y (workerd@\S+)/.exec(texts[1]) ?? [];
  const workerd = await programOf(specifier, "workerd");
  const url = `http://localhost:${made.port}/sum?a=1&b=2`;
  await using server = await startProgram([workerd, "serve", "config.capnp"], made.folder, url);
  assertEquals(server.answer, "3");
});

Deno.test("the deploy page's channels run in workerd, over WebSocket and as lines", async () => {
  await using made = await folderWith(["channels.js", "config.capnp"], ["rest.js"]);
  const config = await Deno.readTextFile(`${made.folder}/config.capnp`);
  await Deno.writeTextFile(`${made.folder}/config.capnp`, config.replaceAll("worker.js", "channels.js"));
  const [, specifier] = /npx -y (workerd@\S+)/.exec(texts[1]) ?? [];
  const workerd = await programOf(specifier, "workerd");
  const url = `http://localhost:${made.port}/ticks?to=3`;
  await using server = await startProgram([workerd, "serve", "config.capnp"], made.folder, url);
  assertEquals(server.answer, "1\n2\n3\n");
  const seen: string[] = [];
  await new Promise((resolve) => {
    const socket = new WebSocket(url.replace("http", "ws"));
    socket.onmessage = ({ data }) => seen.push(data);
    socket.onclose = resolve;
  });
  assertEquals(seen, ["1", "2", "3"]);
});
