import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { IMAGE, openFake, spec } from "../../fixtures/engine/fake_engine.ts";

const large = (size: number) => "x".repeat(size);

async function assertLimit(work: () => Promise<unknown>, what: string): Promise<void> {
  const error = await assertRejects(work, EngineError, what);
  assertEquals(error.code, "limit");
}

Deno.test("containers.create() refuses what is too large to be kept, and leaves nothing", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const make = (options: Parameters<typeof spec>[0]) => () => containers.create(spec(options));
  await assertLimit(make({ labels: { a: large(600_000) } }), "labels have 600022 bytes; at most 524288 bytes are kept");
  // Bytes count, not letters.
  await assertLimit(make({ labels: { a: "ä".repeat(300_000) } }), "labels have 600022 bytes");
  await assertLimit(make({ annotations: { a: large(600_000) } }), "annotations have 600008 bytes");
  const env = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`V${i}`, large(100_000)]));
  await assertLimit(make({ env }), "all options together have");
  await assertLimit(make({ health: { check: { test: ["CMD", large(3 << 20)] } } }), "all options together have");
  assertEquals([containers.list({ all: true }), [...kernel.processes]], [[], []]);
  const { record } = await containers.create(spec({ labels: { a: large(500_000) } }));
  assertEquals(record.spec.labels.a.length, 500_000);
});

Deno.test("labels of an image count, and so does what an update adds", async () => {
  const config = { ...IMAGE.config, config: { ...IMAGE.config.config, Labels: { image: large(600_000) } } };
  await using fake = await openFake({ image: { ...IMAGE, config } });
  await assertLimit(() => fake.containers.create(spec()), "labels have");
  await using other = await openFake();
  const { record: { id } } = await other.containers.create(spec());
  const env = Array.from({ length: 30 }, (_, i) => `V${i}=${large(100_000)}`);
  await assertLimit(() => other.containers.update(id, { env }), "all options together have");
  const check = { test: ["CMD", large(3 << 20)] };
  await assertLimit(() => other.containers.setHealth(id, { check }), "all options together have");
  assertEquals(other.containers.resolve(id).health?.check, undefined);
});
