/** Both packages, packed as registries get them, installed into an empty folder, and used from there. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import * as esbuild from "esbuild";
import { weigh } from "../../scripts/size.ts";
import { stagePackages } from "../../scripts/package/stage.ts";
import { startWorkerd } from "../conformance/workerd.ts";
import { api, chan, type Handler, handler, implement, int64, rest } from "../../lib/rest/mod.ts";
import { hindrance, withPage } from "../fixtures/rest/chromium.ts";
import { nodeProgram } from "../fixtures/platform/test_cache.ts";
import { run, runOk } from "../fixtures/run.ts";

const root = new URL("../../", import.meta.url);

/** Programs that use the packages as strangers do. */
const USES: Record<string, string> = {
  "rest.mjs": `
import { api, chan, handler, HTTPError, implement, int64, link, rest } from "@gantry/rest";
import * as client from "@gantry/rest/client";
import * as server from "@gantry/rest/server";
import { events, resumable } from "@gantry/rest/events";
import { openapi } from "@gantry/rest/surfaces";
import { routesOf } from "@gantry/rest/routes";
import { xml } from "@gantry/rest/xml";
import { listenAndServe } from "@gantry/rest/serve";

const sums = api("http://localhost", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]),
}, { codecs: [xml()] });
const functions = implement(sums, {
  Add(a, b) {
    if (b === 0n) throw new HTTPError(409, "Add: not zero");
    return a + b;
  },
  Ticks: (to) => resumable(async function* () {
    for (let n = 1n; n <= to; n++) yield [String(n), n];
  }),
});
const listener = await listenAndServe("tcp://127.0.0.1:0", null, functions);
const calls = link(sums, listener.address.replace("tcp:", "http:"), events());
const seen = [await calls.Add(1n, 2n)];
for await (const n of await calls.Ticks(2n)) seen.push(n);
seen.push(await calls.Add(1n, 0n).catch((error) => error instanceof client.HTTPError && error.status));
await listener.close();
const small = server.handler(null, server.implement(sums, { Add: (a, b) => b - a }));
seen.push(typeof small, openapi(sums).openapi, HTTPError === server.HTTPError);
// Node 20 and 22 have no URLPattern of their own.
const [{ pattern }] = await routesOf(sums);
seen.push(pattern.test("http://h/sum?a=1") && !pattern.test("http://h/sums"));
console.log(seen.join());
`,
  "engine.mjs": `
import { engineHandler, systemAPI } from "@gantry/gantry";
import { openMemoryEngine } from "@gantry/gantry/memory";
import { HTTPError as own } from "@gantry/gantry/rest";
import { HTTPError, link } from "@gantry/rest";

const engine = await openMemoryEngine();
const client = link(systemAPI, "http://localhost", { fetch: engineHandler(engine) });
console.log((await client.VersionHandler()).Os, own === HTTPError);
await engine.close();
`,
  "client.mjs": `
import { ClientError, open } from "@gantry/gantry/client";
import { openEngine } from "@gantry/gantry/client/web";
import { openPretendEngine } from "@gantry/gantry/pretend";

const pretence = await openPretendEngine({ images: { alpine: ({ args, write }) => write(args.slice(1).join(" ")) } });
await using engine = await open(pretence);
const { stdout } = await engine.run("alpine", ["echo", "hi"]);
await using box = await engine.create({ image: "alpine" });
const missing = await engine.container("nobody").catch((error) => error instanceof ClientError && error.code);
console.log(stdout, engine.tree, missing, typeof openEngine, box.name !== "");
`,
  "worker.mjs": `
import { api, handler, implement, int64, rest } from "@gantry/rest";
const sums = api("http://localhost", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
const serve = handler(null, implement(sums, { Add: (a, b) => a + b }));
export default { fetch: (request) => serve(request) };
`,
  "browser.mjs": `
import { api, chan, exactJSON, handler, HTTPError, implement, int64, link, rest } from "@gantry/rest";
const sums = api(location.origin, {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]),
});
const own = handler(null, implement(sums, {
  Add: (a, b) => a + b,
  async *Ticks(to) {
    for (let n = 1n; n <= to; n++) yield n;
  },
}));
const seen = [];
// A server elsewhere, and one within the page.
for (const options of [undefined, { fetch: own }]) {
  const calls = link(sums, location.origin, options);
  seen.push(await calls.Add(9007199254740993n, 1n));
  for await (const n of await calls.Ticks(2n)) seen.push(n);
  seen.push(await calls.Add("x", 1n).catch((error) => error instanceof HTTPError ? error.status : error.name));
}
document.body.textContent = seen.join();
document.body.id = "done";
`,
  "types.ts": `
import { api, chan, handler, type Handler, implement, int64, link, rest } from "@gantry/rest";
import { link as smallLink, linkWith, readChannel } from "@gantry/rest/client";
import { listenAndServe } from "@gantry/rest/serve";
import { type OpenAPIDocument, openapi } from "@gantry/rest/surfaces";
import { xml } from "@gantry/rest/xml";
import { z } from "zod";

const User = z.object({ id: z.string(), name: z.string().optional() });
const users = api("http://localhost", {
  Get: rest("GET /users/{id=%v}", [z.string()], [User]),
  Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]),
}, { codecs: [xml()] });
const functions = implement(users, {
  Get: (id) => ({ id }),
  async *Ticks(to) {
    yield to;
  },
});
export const serve: Handler = handler(null, functions);
export const document: OpenAPIDocument = openapi(users);
const user: { id: string; name?: string | undefined } = await link(users).Get("1");
for await (const tick of await linkWith({ channel: readChannel }, users).Ticks(3n)) console.log(tick + 1n, user.id);
await (await listenAndServe("localhost:0", null, functions)).close();
// @ts-expect-error: an ID is text
await smallLink(users).Get(1);
// @ts-expect-error: nothing stands for the second %v
rest("GET /sum?a=%v&b=%v", [int64]);
`,
  "engine_types.ts": `
import { containersAPI, Engine, engineHandler, EngineError } from "@gantry/gantry";
import { open } from "@gantry/gantry/client";
import { openHostEngine } from "@gantry/gantry/host";
import { link } from "@gantry/gantry/rest";

const engine: Engine = await openHostEngine({ root: "/tmp/a", runroot: "/tmp/b" });
const containers = await link(containersAPI, "http://localhost", { fetch: engineHandler(engine) }).ListContainers({ all: true });
console.log(containers.map(({ Id }) => Id.toUpperCase()), EngineError.name);
await using client = await open(engine);
await using db = await client.start({ image: "postgres", ports: { 5432: 0 }, ready: { log: "ready to accept" } });
const port: number = db.port(5432);
for await (const line of db.logs()) console.log(line.length, port);
// @ts-expect-error: a command is a list
await db.exec("psql");
// @ts-expect-error: an ID is text
export const id: number = containers[0].Id;
`,
};

/** Words that say what the engine does. */
const CONTAINER_WORDS = /containers?\b|podman|docker|\boci\b|engineerror|\bpods?\b/i;

interface Packed {
  name: string;
  version: string;
  filename: string;
  files: { path: string }[];
}

Deno.test("both packages: npm pack and deno publish pass, and what they hold runs and type-checks from an empty folder", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-packages-" });
  try {
    const { npm, jsr } = await stagePackages(`${folder}/staged`);
    const use = `${folder}/use`;
    await Deno.mkdir(use);
    const [packed, published] = await Promise.all([pack(npm, use), dryRun(jsr)]);

    await t.step("deno publish takes the workspace, without slow types", () => {
      assertEquals(published.code, 0, published.stderr);
      assertMatch(published.stderr, /Success.*Dry run complete/);
      assert(!/slow-type|warning\[/.test(published.stderr), published.stderr);
    });
    await t.step("npm's packages have one version, their texts, and no tests", () => checkContents(packed));
    await t.step("defect: the documents of npm's packages name other packages as Node does", async () => {
      for (const staged of npm) assertEquals(await filesThatSay(staged, /from "npm:/), [], staged);
      assert((await filesThatSay(`${jsr}/rest`, /from "npm:zod@/)).includes("guide.md"));
    });
    await t.step("the transport's packages say nothing of containers", async () => {
      assertEquals(await filesThatSay(`${jsr}/rest`, CONTAINER_WORDS), []);
    });
    await t.step("a client bundled from npm's package weighs what the source does", () => checkWeight(use));
    await t.step({
      name: "a browser runs a client and a server bundled from npm's package",
      ignore: hindrance !== undefined,
      // Playwright keeps handles of its own, which it closes when it likes.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () => useInBrowser(use),
    });
    await t.step(
      "they run on Node 20, 22 and 24, on Deno and on workerd, the engine's command too, and strangers' TypeScript checks",
      async () => {
        await Promise.all([
          useCommand(use, jsr),
          useOnNode(use),
          useOnDeno(use, jsr),
          useOnWorkerd(use),
          checkTypes(use),
        ]);
      },
    );
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
});

/** Packs staged packages, and installs them into a folder with what strangers bring. */
async function pack(staged: readonly string[], use: string): Promise<Packed[]> {
  const made: Packed[] = JSON.parse(await runOk(["npm", "pack", "--json", "--silent", ...staged], { cwd: use }));
  await Deno.writeTextFile(`${use}/package.json`, '{ "type": "module", "private": true }');
  for (const [name, text] of Object.entries(USES)) await Deno.writeTextFile(`${use}/${name}`, text);
  const strangers = ["zod@4.6.7", "typescript@7.0.2", "@types/node@24.19.2"];
  const packages = [...made.map(({ filename }) => `./${filename}`), ...strangers];
  await runOk(["npm", "install", "--silent", "--no-audit", "--no-fund", ...packages], { cwd: use });
  return made;
}

/** Types are checked as strangers see them: a check of all that is published takes longer than everything else here. */
function dryRun(workspace: string) {
  const command = [Deno.execPath(), "publish", "--dry-run", "--allow-dirty", "--no-check"];
  return run(command, { cwd: workspace, env: { NO_COLOR: "1" } });
}

async function checkContents(packed: readonly Packed[]): Promise<void> {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  assertEquals(packed.map(({ name, version }) => [name, version]), [["@gantry/rest", version], [
    "@gantry/gantry",
    version,
  ]]);
  for (const { files } of packed) {
    const paths = files.map(({ path }) => path);
    assertEquals(paths.filter((path) => /test|fixture|\.ts$/.test(path) && !path.startsWith("types/")), []);
    for (const text of ["README.md", "LICENSE", "CHANGELOG.md"]) assert(paths.includes(text), text);
  }
  assert(packed[0].files.some(({ path }) => path === "llms.txt"));
}

async function filesThatSay(folder: string, words: RegExp): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string) => {
    for await (const { name, isDirectory } of Deno.readDir(`${folder}/${path}`)) {
      if (isDirectory) await walk(`${path}${name}/`);
      // Names in imports are looked at as well as sentences.
      else if (words.test(path + name) || words.test(await Deno.readTextFile(`${folder}/${path}${name}`))) {
        found.push(path + name);
      }
    }
  };
  await walk("");
  return found.sort();
}

async function checkWeight(use: string): Promise<void> {
  for (const [module, names] of [["client", "api, rest, link"], ["server", "api, rest, handler, implement"]]) {
    const source = await weigh(`export { ${names} } from "./${module}.ts";`);
    const installed = await weigh(`export { ${names} } from "@gantry/rest/${module}";`, use);
    const difference = Math.abs(installed.gzip - source.gzip);
    assert(
      difference <= source.gzip / 100,
      `${module}: ${installed.gzip} bytes installed, ${source.gzip} from the source`,
    );
  }
}

async function useOnNode(use: string): Promise<void> {
  for (const version of ["20", "22", "24"]) {
    const node = [await nodeProgram(version)];
    const answer = await runOk([...node, "rest.mjs"], { cwd: use });
    assertEquals(answer.trim(), "3,1,2,409,function,3.1.1,true,true", `Node ${version}`);
  }
  assertEquals((await runOk([await nodeProgram(), "engine.mjs"], { cwd: use })).trim(), "linux true");
  assertEquals((await runOk([await nodeProgram(), "client.mjs"], { cwd: use })).trim(), CLIENT_ANSWER);
}

const CLIENT_ANSWER = "hi libpod not_found function true";

/** Deno uses npm's packages where they are installed, and JSR's by the names that a registry would give them. */
async function useOnDeno(use: string, jsr: string): Promise<void> {
  const installed = [Deno.execPath(), "run", "-A", "--quiet", "--no-lock"];
  assertMatch(await runOk([...installed, "rest.mjs"], { cwd: use }), /^3,1,2,409,/);
  assertEquals((await runOk([...installed, "engine.mjs"], { cwd: use })).trim(), "linux true");
  assertEquals((await runOk([...installed, "client.mjs"], { cwd: use })).trim(), CLIENT_ANSWER);
  await Deno.writeTextFile(`${jsr}/rest/use.mjs`, USES["rest.mjs"]);
  await Deno.writeTextFile(`${jsr}/gantry/use.ts`, USES["engine_types.ts"]);
  await runOk([Deno.execPath(), "check", "--quiet", "--no-lock", "gantry/use.ts"], { cwd: jsr });
  assertMatch(await runOk([...installed, "rest/use.mjs"], { cwd: jsr }), /^3,1,2,409,/);
}

async function useOnWorkerd(use: string): Promise<void> {
  const { outputFiles: [{ text }] } = await esbuild.build({
    entryPoints: [`${use}/worker.mjs`],
    absWorkingDir: use,
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
  });
  await using worker = await startWorkerd({ script: text });
  assertEquals(await (await fetch(`${worker.url}/sum?a=1&b=2`)).text(), "3");
  const served = esbuild.build({
    stdin: { contents: 'import "@gantry/rest/serve";', resolveDir: use },
    bundle: true,
    write: false,
    conditions: ["workerd", "worker", "browser"],
    logLevel: "silent",
  });
  assertEquals(await served.then(() => "bundled", () => "refused"), "refused");
}

/** Bundles as for a page, and opens it in Chromium. */
async function useInBrowser(use: string): Promise<void> {
  const { outputFiles: [{ text }] } = await esbuild.build({
    entryPoints: [`${use}/browser.mjs`],
    absWorkingDir: use,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    minify: true,
  });
  const sums = api("http://localhost", {
    Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
    Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]),
  });
  const functions = implement(sums, {
    Add: (a, b) => a + b,
    async *Ticks(to) {
      for (let n = 1n; n <= to; n++) yield n;
    },
  });
  const page = `<!doctype html><title>Sums</title><body><script type="module">${text}</script>`;
  const html = { "content-type": "text/html;charset=utf-8" };
  const fallback: Handler = () => Promise.resolve(new Response(page, { headers: html }));
  const serve = handler(null, functions, { fallback });
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => serve(request, { upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options) }),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await withPage(origin, async ({ page, troubles }) => {
    await page.goto(`${origin}/`);
    await page.locator("body#done").waitFor();
    const half = "9007199254740994,1,2,400";
    assertEquals([await page.locator("body").textContent(), troubles], [`${half},${half}`, []]);
  });
}

/** Starts the engine's command as both runtimes install it. The tests of `serve` have it serve a host. */
async function useCommand(use: string, jsr: string): Promise<void> {
  const node = [await nodeProgram(), "node_modules/.bin/gantry"];
  assertMatch(
    await runOk([...node, "help"], { cwd: use }),
    /^Usage: gantry COMMAND \[options\]\n[^]*\n {2}serve {7}Serves /,
  );
  assertMatch(await runOk([...node, "serve", "--help"], { cwd: use }), /^Usage: gantry serve /);
  const refused = await run([...node, "serve", "--log-level=loud"], { cwd: use });
  assertEquals([refused.code, refused.stdout], [2, ""]);
  assertMatch(refused.stderr, /"loud" is no log level/);
  const deno = [Deno.execPath(), "run", "-A", "--quiet", "--no-lock", "gantry/lib/platform/entries/cli.js"];
  const unknown = await run([...deno, "run"], { cwd: jsr });
  const advice =
    'gantry: Run "run": the commands are serve, gateway, dial-stdio, install, uninstall, reset, unshare, doctor and version; see --help\n';
  assertEquals([unknown.code, unknown.stderr], [2, advice]);
  assertMatch(await runOk([...node, "version"], { cwd: use }), /^gantry {3}\d+\.\d+\.\d+\npodman {3}API /);
}

async function checkTypes(use: string): Promise<void> {
  const tsc = ["node_modules/.bin/tsc", "--noEmit", "--strict", "--target", "esnext", "--types", "node"];
  const resolutions: [module: string, resolution: string, ...rest: string[]][] = [
    ["nodenext", "nodenext", "types.ts", "engine_types.ts"],
    ["esnext", "bundler", "types.ts"],
    // A program of Node's has no library of browsers.
    ["nodenext", "nodenext", "--lib", "esnext", "types.ts", "engine_types.ts"],
  ];
  for (const [module, resolution, ...rest] of resolutions) {
    const command = [...tsc, "--module", module, "--moduleResolution", resolution, ...rest];
    const { code, stdout, stderr } = await run(command, { cwd: use });
    assertEquals([code, stdout], [0, ""], stderr);
  }
}
