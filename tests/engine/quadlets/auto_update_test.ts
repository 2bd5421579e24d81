import { assert, assertEquals } from "@std/assert";
import type { AutoUpdateOptions } from "../../../lib/engine/quadlets/update/auto_update.ts";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { buildImage, type BuiltImage } from "../../fixtures/images/image_builder.ts";

function makeImage(content: string, config: Record<string, unknown> = { Cmd: ["serve"] }): BuiltImage {
  return buildImage({
    layers: [{ entries: [{ type: "file", path: "hello", content }] }],
    architecture: "amd64",
    config,
  });
}

const [NEWER, BROKEN] = [makeImage("newer\n"), makeImage("broken\n", {})];

/** An engine with a unit that is to be updated, and a registry whose image can be changed. */
async function openUpdated(
  lines: string,
  name = "web",
): Promise<{ test: TestEngine; publish(image: BuiltImage): void }> {
  let image = TINY;
  const test = await openTestEngine({ image: () => image });
  await install(test, `${name}.container`, `Image=${TINY_NAME}\n${lines}`);
  return { test, publish: (next) => void (image = next) };
}

async function install({ engine }: TestEngine, name: string, lines: string): Promise<void> {
  const content = new TextEncoder().encode(`[Container]\n${lines}`);
  await engine.quadlets.install([{ name, content }], { reload: false });
  await engine.quadlets.start(name);
}

async function outcomes({ engine }: TestEngine, options?: AutoUpdateOptions): Promise<[string, string, string?][]> {
  const { reports, errors } = await engine.autoUpdate(options);
  assertEquals(errors, []);
  return reports.map(({ unit, updated, error }) => error === undefined ? [unit, updated] : [unit, updated, error]);
}

function imageOf({ engine }: TestEngine, container = "systemd-web"): string {
  return engine.containers.resolve(container).imageID;
}

Deno.test("autoUpdate() pulls what is newer in the registry and restarts its unit", async () => {
  const { test, publish } = await openUpdated("AutoUpdate=registry\n");
  await using _ = test;
  await install(test, "other.container", `Image=${TINY_NAME}\n`);
  const old = imageOf(test);
  assertEquals(await outcomes(test), [["web.service", "false"]]);
  publish(NEWER);
  assertEquals(await outcomes(test, { mode: "dry-run" }), [["web.service", "pending"]]);
  assertEquals(imageOf(test), old, "a dry run changes nothing");
  assertEquals(await outcomes(test), [["web.service", "true"]]);
  const { state, imageID } = test.engine.containers.resolve("systemd-web");
  assert(imageID !== old);
  assertEquals(state.status, "running");
  assertEquals(imageOf(test, "systemd-other"), old, "it did not ask for updates");
  assertEquals(await outcomes(test), [["web.service", "false"]]);
});

Deno.test("autoUpdate() rolls back a unit that does not come up with its new image", async () => {
  const { test, publish } = await openUpdated("AutoUpdate=registry\n");
  await using _ = test;
  const old = imageOf(test);
  publish(BROKEN);
  const error = "no command or entrypoint provided, and no CMD or ENTRYPOINT from image";
  assertEquals(await outcomes(test), [["web.service", "rolled back", error]]);
  assertEquals([imageOf(test), test.engine.images.resolve(TINY_NAME).id], [old, old]);
  assertEquals(test.engine.containers.resolve("systemd-web").state.status, "running");
  assertEquals(await outcomes(test, { rollback: false }), [["web.service", "failed", error]]);
  assert(!test.engine.containers.exists("systemd-web"));
});

Deno.test("autoUpdate() rolls back a unit whose container is unhealthy with its new image", async () => {
  const { test, publish } = await openUpdated(
    `AutoUpdate=registry\nHealthCmd=["ask","x"]\nHealthInterval=1ms\nHealthRetries=1\n`,
  );
  await using _ = test;
  const old = imageOf(test);
  // The probe passes in the old image alone.
  Object.defineProperty(test.kernel, "answers", { get: () => [imageOf(test) === old ? 0 : 1] });
  publish(NEWER);
  assertEquals(await outcomes(test), [["web.service", "rolled back", "container systemd-web is unhealthy"]]);
  assertEquals(imageOf(test), old);
});

Deno.test("autoUpdate() by the policy local takes what was pulled or built since", async () => {
  const { test, publish } = await openUpdated("AutoUpdate=local\n");
  await using _ = test;
  publish(NEWER);
  assertEquals(await outcomes(test), [["web.service", "false"]], "the registry is not asked");
  for await (const _ of test.engine.images.pull(TINY_NAME));
  assertEquals(await outcomes(test), [["web.service", "true"]]);
});

Deno.test("autoUpdate() tells of wrong labels, and emits events", async () => {
  const { test, publish } = await openUpdated("Label=io.containers.autoupdate=sometimes\n");
  await using _ = test;
  const { record: { id } } = await test.engine.containers.create({
    ...{ image: TINY_NAME, name: "alone", labels: { "io.containers.autoupdate": "registry" } },
  });
  await test.engine.containers.start(id);
  await install(test, "b.container", `Image=${TINY_NAME}\nAutoUpdate=registry\n`);
  publish(NEWER);
  const { errors, reports } = await test.engine.autoUpdate({ mode: "notify" });
  const web = test.engine.containers.resolve("systemd-web").id;
  assertEquals(
    errors.map(({ message }) => message).sort(),
    [
      `auto-updating container "${id}": no PODMAN_SYSTEMD_UNIT label found`,
      `auto-updating container "${web}": invalid auto-update policy "sometimes": valid policies are registry, local and disabled`,
    ].sort(),
  );
  assertEquals(reports.map(({ unit, updated }) => [unit, updated]), [["b.service", "pending"]]);
  const events: string[] = [];
  for await (const event of test.engine.events.list({ follow: false, since: 0 })) {
    if (event.action === "auto-update") events.push(`${event.type} ${event.name} ${event.attributes.updated}`);
  }
  assertEquals(events, ["system b.service pending"]);
});
