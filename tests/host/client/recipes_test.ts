/**
 * The ten recipes of docs/engine/client.md against a real engine, beside the same with dockerode and docker-py: equal output, and the
 * lines that the page counts.
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import Docker from "dockerode";
import { ClientError, type Container, type EngineClient } from "../../../lib/client/mod.ts";
import { openClient } from "../../../lib/platform/entries/client.ts";
import * as theirs from "../../fixtures/client/dockerode_recipes.js";
import * as ours from "../../fixtures/client/recipes.ts";
import { checkPods, checkResources, TREES } from "../../fixtures/client/resources.ts";
import { runOk } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const folder = new URL("../../fixtures/client/", import.meta.url);
const names = Object.keys(ours) as (keyof typeof ours)[];

/** Debian's docker-py is of Debian's Python; another one may stand first in `PATH`. */
const PYTHON = "/usr/bin/python3";

/** Recipes that have as many lines here as with docker-py. The page says why. */
const AS_LONG = ["runCommand", "cleanUp"];

Deno.test("ten recipes print the same with the client, with dockerode and with docker-py", async (test) => {
  await using world = await Session.shared();
  await using engine = await openClient(world.server.addresses[0]);
  const docker = new Docker({ socketPath: world.server.socket });
  const context = await makeContext(world.image);
  try {
    await engine.images.pull(world.image);
    assertEquals(names.length, 10);
    for (const name of names) {
      await test.step(name, async () => {
        const printed: Record<string, string[]> = { ours: [], dockerode: [], dockerPy: [] };
        await ours[name](engine, world.image, (text) => void printed.ours.push(text), context);
        await theirs[name](docker, world.image, (text: string) => void printed.dockerode.push(text), context);
        printed.dockerPy = await runDockerPy(world.server.socket, name, name === "buildImage" ? context : world.image);
        assert(printed.ours.length > 0, "the recipe printed something");
        // Trees word the steps of builds in their own way: the last lines are the program's.
        if (name === "buildImage") { for (const lines of Object.values(printed)) lines.splice(0, lines.length - 1); }
        assertEquals(printed.dockerode, printed.ours);
        assertEquals(printed.dockerPy, printed.ours.flatMap((text) => text.split("\n")));
      });
    }
    assertEquals(await engine.list({ all: true }), []);
  } finally {
    await Deno.remove(context, { recursive: true });
  }
});

Deno.test("the client drives volumes, networks, secrets, pods and events of a real engine in both trees", async () => {
  await using world = await Session.shared();
  for (const tree of TREES) {
    const since = new Date();
    await using engine = await openClient(world.server.addresses[0], { tree });
    {
      await using box = await engine.start({ image: world.image, command: ["sleep", "1000"] });
      await checkFiles(engine, box);
      await checkTransfers(engine, world.image);
      await checkResources(engine, box);
      await checkPods(engine, { image: world.image, command: ["sleep", "1000"], isReal: true });
    }
    const seen: string[] = [];
    // Events have a finer time than dates: one of this very millisecond is to count.
    const range = { since, until: new Date(Date.now() + 1), filters: { type: ["volume"] } };
    for await (const { action, id } of engine.events(range)) if (id === "resources-data") seen.push(action);
    assertEquals([seen[0], seen.at(-1)], ["create", { libpod: "remove", docker: "destroy" }[tree]]);
  }
});

Deno.test("recipes have fewer lines with the client: each than with dockerode, eight of ten than with docker-py", async () => {
  const own = await bodiesOf("recipes.ts");
  // In the order of the page; names are in that of the alphabet.
  const recipes = Object.keys(own) as typeof names;
  const dockerode = await bodiesOf("dockerode_recipes.js");
  const dockerPy = await pythonBodies("docker_py_recipes.py");
  const counts = recipes.map((name) =>
    [own[name], dockerode[name], dockerPy[snakeCase(name)]].map(({ length }) => length)
  );
  assertEquals(recipes.filter((_, index) => counts[index][0] >= counts[index][1]), []);
  assertEquals(recipes.filter((_, index) => counts[index][0] > counts[index][2]), []);
  assertEquals(recipes.filter((_, index) => counts[index][0] === counts[index][2]), AS_LONG);
  const page = await Deno.readTextFile(new URL("../../../docs/engine/client.md", folder));
  const told = [...page.matchAll(/^\|[^|]+\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)].map((row) => row.slice(1).map(Number));
  const total = [0, 1, 2].map((side) => counts.reduce((sum, row) => sum + row[side], 0));
  assertEquals(told, [...counts, total], "docs/engine/client.md tells other numbers");
});

Deno.test("docs/engine/client.md shows the recipes that are tested", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/engine/client.md", folder));
  const shown = page.split("\n").map((line) => line.trim());
  const bodies = await bodiesOf("recipes.ts");
  for (const name of names) {
    assertEquals(
      bodies[name].filter((line) => !shown.includes(line)),
      [],
      `docs/engine/client.md lacks lines of ${name}`,
    );
  }
});

/** Files are written as they are now, and take no folder's place. */
async function checkFiles(engine: EngineClient, box: Container): Promise<void> {
  const { files } = box;
  if (engine.tree !== "libpod") {
    // Docker makes no folder for a copy.
    const refused = await assertRejects(() => files.write("/tmp/folder/kept", "kept"), ClientError);
    assertEquals(refused.code, "not_found");
    await box.exec(["mkdir", "/tmp/folder"]);
  }
  await files.write("/tmp/folder/kept", "kept");
  await assertRejects(() => files.write("/tmp/folder", "instead"), ClientError);
  assertEquals(await files.text("/tmp/folder/kept"), "kept");
  await files.write("/tmp/folder/kept", "anew");
  assertEquals((await files.list("/tmp/folder")).map(({ path }) => path), ["kept"]);
  assertEquals((await box.exec(["find", "/tmp/folder/kept", "-mtime", "-1"])).stdout, "/tmp/folder/kept\n");
  const noFolder = await assertRejects(() => files.list("/tmp/folder/kept"), ClientError, "it is no folder");
  assertEquals(noFolder.code, "invalid");
  // Docker's archive of a link is the link itself.
  await box.exec([
    "sh",
    "-c",
    "cd /tmp; ln -s folder link; ln -s /tmp/link/kept far; ln -s loop loop; ln -s none dangling",
  ]);
  assertEquals((await files.list("/tmp/link/")).map(({ path }) => path), ["kept"]);
  assertEquals(await files.text("/tmp/far"), "anew");
  assertEquals((await files.list("/tmp")).filter(({ kind }) => kind === "symlink").length, 4);
  await assertRejects(() => files.text("/tmp/loop"), ClientError);
  assertEquals((await assertRejects(() => files.text("/tmp/dangling"), ClientError)).code, "not_found");
}

/** An image is pushed by nobody in particular, with progress; what fails in a build tells what it was. */
async function checkTransfers(engine: EngineClient, image: string): Promise<void> {
  const name = `${image.split("/")[0]}/suite/pushed:${engine.tree}`;
  await engine.images.tag(image, name);
  let told = 0;
  await engine.images.push(name, { onProgress: () => told++ });
  assert(told > 0, "a push tells how it goes");
  await engine.images.remove(name);
  const failed = await assertRejects(
    () => engine.build({ Dockerfile: `FROM ${image}\nRUN exit 9\n` }),
    ClientError,
  );
  assertEquals([failed.code, failed.exit?.exitCode], ["exited", 9]);
  const missing = await assertRejects(() => engine.build("/no/such/folder"), ClientError, "there is no such folder");
  assertEquals(missing.code, "not_found");
}

/** A folder with a Dockerfile and a file to copy. */
async function makeContext(image: string): Promise<string> {
  const context = await Deno.makeTempDir({ prefix: "gantry-recipes-" });
  const steps = [`FROM ${image}`, "ARG WORD", "COPY note /", "RUN echo $WORD >> /note", 'CMD ["cat", "/note"]'];
  await Deno.writeTextFile(`${context}/Dockerfile`, steps.join("\n"));
  await Deno.writeTextFile(`${context}/note`, "this note was ");
  return context;
}

/** Runs a recipe of docker-py, and gives the lines that it printed. */
async function runDockerPy(path: string, name: string, subject: string): Promise<string[]> {
  const program = new URL("docker_py_recipes.py", folder).pathname;
  const env = { DOCKER_HOST: `unix://${path}`, PYTHONDONTWRITEBYTECODE: "1", NO_PROXY: "127.0.0.1" };
  const text = await runOk([PYTHON, program, snakeCase(name), subject], { env });
  // Python begins its words for true and false with a capital.
  return text.replaceAll("True", "true").trimEnd().split("\n");
}

/** The lines in the bodies of a file's exported functions, without empty ones and comments. */
async function bodiesOf(file: string): Promise<Record<string, string[]>> {
  const text = await Deno.readTextFile(new URL(file, folder));
  const found = [...text.matchAll(/^export async function (\w+)\([\s\S]*?\) \{\n([\s\S]*?)^\}/gm)];
  return Object.fromEntries(found.map(([, name, body]) => [
    name,
    body.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("//")),
  ]));
}

/** As {@linkcode bodiesOf}, of functions in Python. */
async function pythonBodies(file: string): Promise<Record<string, string[]>> {
  const text = await Deno.readTextFile(new URL(file, folder));
  const found = [...text.matchAll(/^def (\w+)\(.*\):\n((?:(?: .*)?\n)+)/gm)];
  return Object.fromEntries(found.map(([, name, body]) => [
    name,
    body.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#")),
  ]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
