/** The ten recipes of docs/engine/client.md against a real engine, beside the same with dockerode: equal output, fewer lines. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import Docker from "dockerode";
import { ClientError, type Container, type EngineClient } from "../../../lib/client/mod.ts";
import { openClient } from "../../../lib/platform/entries/client.ts";
import * as theirs from "../../fixtures/client/dockerode_recipes.js";
import * as ours from "../../fixtures/client/recipes.ts";
import { checkPods, checkResources, TREES } from "../../fixtures/client/resources.ts";
import { Session } from "../../fixtures/session.ts";

const folder = new URL("../../fixtures/client/", import.meta.url);
const names = Object.keys(ours) as (keyof typeof ours)[];

Deno.test("ten recipes print the same with the client and with dockerode", async (test) => {
  await using world = await Session.start();
  await using engine = await openClient(world.server.addresses[0]);
  const docker = new Docker({ socketPath: world.server.socket });
  const context = await makeContext(world.image);
  try {
    await engine.images.pull(world.image);
    assertEquals(names.length, 10);
    for (const name of names) {
      await test.step(name, async () => {
        const printed: Record<string, string[]> = { ours: [], theirs: [] };
        await ours[name](engine, world.image, (text) => void printed.ours.push(text), context);
        await theirs[name](docker, world.image, (text: string) => void printed.theirs.push(text), context);
        assert(printed.ours.length > 0, "the recipe printed something");
        // Trees word the steps of builds in their own way: the last lines are the program's.
        if (name === "buildImage") { for (const lines of Object.values(printed)) lines.splice(0, lines.length - 1); }
        assertEquals(printed.ours, printed.theirs);
      });
    }
    assertEquals(await engine.list({ all: true }), []);
  } finally {
    await Deno.remove(context, { recursive: true });
  }
});

Deno.test("the client drives volumes, networks, secrets, pods and events of a real engine in both trees", async () => {
  await using world = await Session.start();
  for (const tree of TREES) {
    const since = new Date();
    await using engine = await openClient(world.server.addresses[0], { tree });
    {
      await using box = await engine.start({ image: world.image, command: ["sleep", "1000"] });
      await checkFiles(box);
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

Deno.test("each of the ten recipes has fewer lines with the client than with dockerode", async () => {
  const own = await bodiesOf("recipes.ts");
  const foreign = await bodiesOf("dockerode_recipes.js");
  const counts = Object.keys(own).map((name) => [own[name].length, foreign[name].length]);
  assertEquals(counts.length, 10);
  assertEquals(counts.filter(([few, many]) => few >= many), []);
  const page = await Deno.readTextFile(new URL("../../../docs/engine/client.md", folder));
  const told = [...page.matchAll(/^\|[^|]+\| (\d+) +\| (\d+) +\|$/gm)].map((
    [, few, many],
  ) => [Number(few), Number(many)]);
  const total = [0, 1].map((side) => counts.reduce((sum, pair) => sum + pair[side], 0));
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
async function checkFiles(box: Container): Promise<void> {
  const { files } = box;
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

/** The lines in the bodies of a file's exported functions, without empty ones and comments. */
async function bodiesOf(file: string): Promise<Record<string, string[]>> {
  const text = await Deno.readTextFile(new URL(file, folder));
  const found = [...text.matchAll(/^export async function (\w+)\([\s\S]*?\) \{\n([\s\S]*?)^\}/gm)];
  return Object.fromEntries(found.map(([, name, body]) => [
    name,
    body.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("//")),
  ]));
}
