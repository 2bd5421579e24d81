/** Programs of an ordinary user that open the engine of their host by themselves, on Deno and on Node. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { busyboxImage, pushImage } from "../fixtures/images/image_builder.ts";
import { registriesConf, startRegistry } from "../fixtures/images/registry.ts";
import { type OrdinaryUser, ordinaryUser } from "../fixtures/ordinary_user.ts";
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { run, runOk } from "../fixtures/run.ts";
import { until } from "../fixtures/session.ts";

/** A program: its imports stand before it. Its last argument says what it is to do. */
const PROGRAM = `
const { root, runroot, registriesConf, image, work } = JSON.parse(process.argv.at(-1));
const log = (level, message) => console.error(level, message);
if (work.startsWith("unaddressed")) {
  // The usual folders are those of this user; no server is there.
  const engine = await open();
  console.log((await engine.run(image, ["echo", "hi"], { network: "none" })).stdout.trim());
  if (work === "unaddressed, closed") await engine.close();
  process.exit(0);
}
const host = await openHostEngine({ root, runroot, registriesConf, log });
const engine = await open(host);
if (work === "use") {
  const box = await engine.start({ name: "box", image, network: "none", command: ["sh", "-c", "echo up; exec sleep 1000"] });
  const { exitCode, stdout } = await box.exec(["sh", "-c", "id -u; cat; exit 3"], { stdin: "typed", check: false });
  console.log(JSON.stringify({ exitCode, stdout }));
  for await (const line of box.logs({ follow: true })) {
    console.log(line);
    break;
  }
  await box.files.write("/note", "kept\\n");
  const listener = await listen("tcp://127.0.0.1:0", engineHandler(host, { auth: bearer("a-long-token") }));
  const url = listener.address.replace("tcp:", "http:") + "/containers/json";
  const told = await fetch(url, { headers: { authorization: "Bearer a-long-token" } });
  console.log((await fetch(url)).status, (await told.json())[0].Names[0]);
  await listener.close();
  const failures = [];
  for (const use of [
    () => host.containers.list(),
    () => engineHandler(host, { etag: true }),
    () => openHostEngine({ root, runroot, tls: () => undefined }),
    () => openHostEngine({ root, runroot }),
    () => openHostEngine({ root: root + "2", runroot: runroot + "2", quadletFolder: "/etc/passwd" }),
  ]) {
    try {
      await use();
    } catch (error) {
      failures.push(error.code + " " + error.message);
    }
  }
  console.log(JSON.stringify(failures));
} else {
  console.log(await (await engine.container("box")).files.text("/note"));
  if (work === "wait") await new Promise((resolve) => setTimeout(resolve, 1e6));
  await (await engine.container("box")).remove();
}
await engine.close();
await host.close();
await host.close();
`;

const IMPORTS = {
  deno: (source: string) => `
import process from "node:process";
import { engineHandler } from "${source}/handlers/engine_handler.ts";
import { bearer } from "${source}/lib/rest/mod.ts";
import { open } from "${source}/lib/platform/entries/client.ts";
import { openHostEngine } from "${source}/lib/platform/entries/host_engine.ts";
import { listen } from "${source}/lib/platform/http/serve.ts";
`,
  node: () => `
import process from "node:process";
import { client, engineHandler, listen, openHostEngine, rest } from "./gantry-node.mjs";
const { open } = client;
const { bearer } = rest;
`,
};

Deno.test("a program of an ordinary user opens the engine, uses it and serves it; containers outlive it", async (t) => {
  await using user = await ordinaryUser();
  const registry = await startRegistry();
  try {
    await pushImage(registry.url, "suite/busybox:latest", busyboxImage());
    const image = `${registry.host}/suite/busybox:latest`;
    const { folder, source } = user;
    await Deno.writeTextFile(`${folder}/registries.conf`, registriesConf(registry.host));
    await Deno.writeTextFile(`${folder}/deno.mjs`, IMPORTS.deno(source) + PROGRAM);
    await Deno.writeTextFile(`${folder}/node.mjs`, IMPORTS.node() + PROGRAM);
    await Deno.writeTextFile(`${folder}/gantry-node.mjs`, await bundled("scripts/node_library.ts", "node"));
    await Deno.writeTextFile(`${folder}/gantry.mjs`, await bundled("lib/platform/entries/cli.ts", "node"));
    // Where npx has put it, only root looks.
    await runOk(["cp", "--reflink=auto", await nodeProgram(), `${folder}/node`]);
    await Deno.mkdir(`${folder}/tmp`);
    await runOk(["chown", `${user.uid}`, `${folder}/node`, `${folder}/tmp`]);
    const start = [...user.command, `TMPDIR=${folder}/tmp`];
    const runtimes = {
      deno: [user.deno, "run", "-A", "--quiet", `--config=${source}/deno.json`, `${folder}/deno.mjs`],
      node: [`${folder}/node`, `${folder}/node.mjs`],
    };
    for (const [name, runtime] of Object.entries(runtimes)) {
      const settings = { root: `${folder}/of-${name}`, runroot: `${folder}/run/of-${name}`, image };
      const command = (work: string) => {
        const given = JSON.stringify({ ...settings, registriesConf: `${folder}/registries.conf`, work });
        return [...start, ...runtime, given];
      };

      await t.step(`${name}: processes, streams both ways, files, a listener of its own, and errors`, async () => {
        const said = await runOk(command("use"), { timeout: 120_000 });
        const [exec, line, served, failures] = said.trim().split("\n");
        assertEquals(JSON.parse(exec), { exitCode: 3, stdout: "0\ntyped" });
        assertEquals([line, served], ["up", "401 /box"]);
        const [member, option, callback, taken, wrong] = JSON.parse(failures);
        assertMatch(
          member,
          /^unsupported Use "containers" of the engine: this user is not root.*engineHandler\(engine\)/,
        );
        assertMatch(option, /^unsupported Serve the engine: option "etag"/);
        assertMatch(callback, /^unsupported Open the engine as this user: option "tls".*"certsDir"/);
        assertMatch(taken, /^in_use Open root .*: it is in use by another server/);
        assertMatch(wrong, /^invalid Read quadlets in "\/etc\/passwd"/);
      });

      await t.step(
        `${name}: the engine's process ends with a program that is killed, and leaves no socket`,
        async () => {
          const [program, ...args] = command("wait");
          const child = new Deno.Command(program, { args, stdout: "piped", stderr: "null" }).spawn();
          const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
          assertStringIncludes((await reader.read()).value ?? "", "kept");
          assertEquals(await enginesOf(user), 1);
          assertEquals((await socketFolders(user)).length, 1);
          // As Linux tells of the end of a program with several threads: more than once.
          const [engine] = (await processesOf(user)).filter((line) => line.endsWith(" engine-process"));
          child.kill("SIGKILL");
          for (let count = 0; count < 5; count++) await run(["kill", "-TERM", engine!.split(" ", 1)[0]!]);
          await child.status;
          await reader.cancel();
          await until(async () => assertEquals(await enginesOf(user), 0));
          await until(async () => assertEquals(await socketFolders(user), []));
        },
      );

      await t.step(`${name}: the container outlives both, and nothing runs when it is removed`, async () => {
        assertEquals((await runOk(command("end"))).trim(), "kept");
        await until(async () => assertEquals(await processesOf(user), []));
        assertEquals(await socketFolders(user), []);
      });
    }

    await t.step("docs/examples/host_engine.ts runs a container as this user, and leaves nothing", async () => {
      await Deno.mkdir(`${folder}/example`);
      await Deno.copyFile(`${folder}/registries.conf`, `${folder}/example/registries.conf`);
      await runOk(["chown", "-R", `${user.uid}`, `${folder}/example`]);
      const example = [user.deno, "run", "-A", "--quiet", `${source}/docs/examples/host_engine.ts`];
      const args = [`${folder}/example`, image, "sh", "-c", "id -u; exit 3"];
      assertEquals(await runOk([...start, ...example, ...args], { timeout: 120_000 }), "exit status 3\n0\n");
      await until(async () => assertEquals(await processesOf(user), []));
    });

    await t.step("open() without an address is this user's own engine where no server is", async () => {
      const given = JSON.stringify({ image, work: "unaddressed" });
      const env = [`GANTRY_REGISTRIES_CONF=${folder}/registries.conf`, `XDG_DATA_HOME=${folder}/data`];
      assertEquals((await runOk([...start, ...env, ...runtimes.node, given])).trim(), "hi");
      assert((await Deno.stat(`${folder}/data/gantry/gantry.db`)).isFile);
      // The program has left without closing anything.
      await until(async () => assertEquals(await enginesOf(user), 0));
      assertEquals(await socketFolders(user), []);
      // The namespace that is left is the next one's, which takes it away.
      const closed = JSON.stringify({ image, work: "unaddressed, closed" });
      assertEquals((await runOk([...start, ...env, ...runtimes.node, closed])).trim(), "hi");
      await until(async () => assertEquals(await processesOf(user), []));
    });

    await t.step("without the program gantry beside the library the error says so", async () => {
      await Deno.remove(`${folder}/gantry.mjs`);
      const given = JSON.stringify({ root: `${folder}/x`, runroot: `${folder}/run/x`, work: "use" });
      const failed = await new Deno.Command(user.command[0], {
        args: [...user.command.slice(1), ...runtimes.node, given],
      })
        .output();
      assert(!failed.success);
      assertStringIncludes(new TextDecoder().decode(failed.stderr), "keep gantry.mjs beside the file");
    });
    await Deno.remove(user.folder, { recursive: true });
  } finally {
    await registry.close();
  }
});

/** The command lines of the processes that know the user's folder, and those that keep its namespaces. */
async function processesOf({ uid, folder }: OrdinaryUser): Promise<string[]> {
  const { stdout } = await run(["pgrep", "--euid", String(uid), "--full", "--list-full", folder]);
  const keepers: string[] = [];
  for await (const { name } of Deno.readDir(`${folder}/run`)) {
    const [pid = ""] = (await Deno.readTextFile(`${folder}/run/${name}/user-namespace`).catch(() => "")).split(" ");
    const line = pid === "" ? "" : await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (line.startsWith("gantry-namespace")) keepers.push(`${pid} ${line}`);
  }
  return [...stdout.split("\n"), ...keepers].filter((line) => line !== "");
}

async function enginesOf(user: OrdinaryUser): Promise<number> {
  return (await processesOf(user)).filter((line) => line.endsWith(" engine-process")).length;
}

/** The folders in which engines of the user's programs listen. */
async function socketFolders({ folder }: OrdinaryUser): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(`${folder}/tmp`)) {
    if (!name.startsWith("gantry-engine-")) continue;
    assertEquals(((await Deno.stat(`${folder}/tmp/${name}`)).mode ?? 0) & 0o777, 0o700);
    found.push(name);
  }
  return found;
}
