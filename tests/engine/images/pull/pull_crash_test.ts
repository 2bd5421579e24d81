import { assert, assertEquals } from "@std/assert";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, pullID } from "../../../fixtures/images/rig.ts";

const CHILD = new URL("../../../fixtures/images/pull_child.ts", import.meta.url);

Deno.test("Images.recover() hides what a killed pull left, and the next pull goes on from it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  await using registry = new FaultyRegistry();
  const image = sampleImage([600_000, 3000, 400]);
  const name = registry.add("app:1", image);
  const [large, ...others] = image.layers;
  let sent = 0;
  registry.fault = ({ what }, body) => {
    if (what !== large.digest || !body) return;
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        // Half of it, and then no more.
        if (sent < 300_000) controller.enqueue(body.slice(sent, sent += 10_000));
        else await new Promise((resolve) => setTimeout(resolve, 100));
      },
    });
    return new Response(slow, { headers: { "content-length": String(body.length) } });
  };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--no-config", CHILD.pathname, folder, registry.registries, name],
    stdout: "piped",
  }).spawn();
  let lines = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    lines += text;
    if (others.every(({ digest }) => lines.includes(digest))) break;
  }
  for (let i = 0; i < 1000 && sent < 300_000; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill("SIGKILL");
  await child.status;

  registry.fault = () => undefined;
  registry.asked.length = 0;
  await using rig = await openOnHost({ folder, registries: registry.registries });
  assertEquals([rig.images.list(), await blobsOf(rig.blobs), await rig.layers.list()], [[], [], []]);
  assertEquals(await pullID(rig.images, name), image.id);
  const [asked, ...rest] = registry.takeBlobs().filter(({ what }) => what !== `sha256:${image.id}`);
  assertEquals([asked.what, rest], [large.digest, []]);
  assert(Number(/^bytes=(\d+)-$/.exec(asked.range ?? "")?.[1]) >= 200_000, `Expected to go on, got ${asked.range}`);
  assertEquals((await rig.layers.list()).length, 3);
});
