import { assert, assertEquals, assertRejects } from "@std/assert";
import { ClientError } from "../../../lib/client/mod.ts";
import { openClient } from "../../../lib/platform/entries/client.ts";
import { openPretendEngine, type PretendProgram } from "../../../lib/platform/entries/pretend_engine.ts";

/** Opens a client of an engine that pretends, with one image. */
async function openPretence(program: PretendProgram) {
  const pretence = await openPretendEngine({ images: { tool: program } });
  const engine = await openClient(pretence);
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await pretence.close();
    },
  };
}

const untilStopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

Deno.test("openPretendEngine() ends a container at once with the output that was given", async () => {
  await using world = await openPretence({ stdout: "out\n", stderr: "err\n", exitCode: 3 });
  const { exitCode, stdout, stderr } = await world.engine.run("tool", ["anything"], { check: false });
  assertEquals({ exitCode, stdout, stderr }, { exitCode: 3, stdout: "out\n", stderr: "err\n" });
  assertEquals(await world.engine.list({ all: true }), []);
});

Deno.test("openPretendEngine() runs a function as a container, with its arguments, environment and standard input", async () => {
  await using world = await openPretence(async ({ args, env, stdin, write, isMain }) => {
    write(`${args.join(" ")} ${env.NAME} ${isMain} ${await new Response(stdin).text()}`);
  });
  const { stdout } = await world.engine.run("tool", ["a", "b"], { env: { NAME: "Ann" }, stdin: "typed" });
  assertEquals(stdout, "a b Ann true typed");
});

Deno.test("openPretendEngine() runs the image's function for exec, too, and its files are the container's", async () => {
  await using world = await openPretence(async ({ args, files, signal, isMain }) => {
    if (isMain) return await untilStopped(signal);
    if (args[0] !== "shout") throw new Error(`${args[0]}: not found`);
    const text = new TextDecoder().decode(files.get(args[1]));
    files.set("/tmp/loud", new TextEncoder().encode(text.toUpperCase()));
  });
  await using box = await world.engine.start({ image: "tool" });
  await box.files.write("/etc/quiet", "hush");
  await box.exec(["shout", "/etc/quiet"]);
  assertEquals(await box.files.text("/tmp/loud"), "HUSH");
  assertEquals((await box.files.list("/tmp")).map(({ path }) => path), ["loud"]);
  const error = await assertRejects(() => box.exec(["whisper"]), ClientError, "whisper: not found");
  assertEquals([error.code, error.exit?.exitCode], ["exited", 1]);
  await assertRejects(() => box.files.read("/etc/none"), ClientError, "could not be found");
});

Deno.test("openPretendEngine() keeps a log that is followed, waits until it is ready, and stops", async () => {
  await using world = await openPretence(async ({ write, signal, ports }) => {
    write("starting\nal");
    await new Promise((resolve) => setTimeout(resolve, 5));
    write(`most\nready on ${Object.keys(ports)[0]}\n`);
    await untilStopped(signal);
    write("never seen\n");
  });
  await using box = await world.engine.start({ image: "tool", ports: { 80: 0 }, ready: { log: /^ready on 80$/ } });
  assert(box.port(80) > 0);
  assertEquals(await Array.fromAsync(box.logs()), ["starting", "almost", "ready on 80"]);
  const followed = Array.fromAsync(box.logs({ follow: true, tail: 1 }));
  await box.stop();
  assertEquals(await followed, ["ready on 80"]);
  const { status, exitCode } = await box.inspect();
  assertEquals([status, exitCode], ["exited", 143]);
});

Deno.test("openPretendEngine() says that it pretends where it cannot", async () => {
  await using world = await openPretence({});
  await using box = await world.engine.create({ image: "tool" });
  assertEquals((await box.inspect()).labels["gantry.pretend"], "tool");
  const build = world.engine.build({ Dockerfile: "FROM tool\nRUN true" }, { tag: "mine" });
  await assertRejects(() => build, ClientError, "pretend");
});

Deno.test("openPretendEngine() refuses an image that it was not given at once: no registry is asked, and none a second time", async () => {
  await using world = await openPretence({});
  const times: number[] = [];
  for (let round = 0; round < 4; round++) {
    const begun = performance.now();
    for (const ask of [() => world.engine.run("other"), () => world.engine.images.pull("other")]) {
      const error = await assertRejects(
        ask,
        ClientError,
        "it asks no registry, and has the images that it was given: tool",
      );
      assertEquals(error.code, "unsupported");
    }
    times.push(performance.now() - begun);
  }
  // A registry that may come back is asked again after a second, and so on; a busy machine may delay some of these rounds.
  assert(Math.min(...times) < 900, `${times}`);
});
