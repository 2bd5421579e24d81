/** An edge deployment that is cut: by its caller, by its runtime, by its bucket. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { FaultyRegistry } from "../../fixtures/images/faulty_registry.ts";
import { buildImage } from "../../fixtures/images/image_builder.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

const TOKEN = "a-token-of-a-test";
const headers = { authorization: `Bearer ${TOKEN}` };
const MB = 1024 * 1024;
/** More than a chunk of either kind has. */
const SIZE = 10 * MB;
const STALL = 9 * MB;

const content = new Uint8Array(SIZE).map((_, i) => (i * 7 + (i >> 9) + (i >> 16)) & 255);
const image = buildImage({
  architecture: "amd64",
  layers: [{ entries: [{ type: "file", path: "large", content }], gzip: false }],
});
const [{ digest: layer }] = image.layers;
const PULLED = new RegExp(`"id":"${image.id}"`);
const script = bundled("lib/platform/entries/workers.ts", "workers");

/** A registry whose layer stops coming until it is told to go on. */
class StallingRegistry extends FaultyRegistry {
  readonly name = this.add("cut:1", image);
  /** Resolves when the first bytes of the layer are out. */
  readonly stalled: Promise<void>;
  /** Sends the rest of it, and everything after that at once. */
  readonly goOn: () => void;

  constructor() {
    super();
    const stalled = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.stalled = stalled.promise;
    this.goOn = released.resolve;
    this.fault = ({ what }, body) => {
      if (what !== layer || body === undefined) return undefined;
      this.fault = () => undefined;
      const pieces = (async function* () {
        yield body.slice(0, STALL);
        stalled.resolve();
        await released.promise;
        yield body.slice(STALL);
      })();
      return new Response(ReadableStream.from(pieces), { headers: { "content-length": String(body.length) } });
    };
  }

  /** From which byte on the layer was asked for since the last call. */
  offsets(): number[] {
    return this.takeBlobs().filter(({ what }) => what === layer).map(({ range }) => {
      return Number(/^bytes=(\d+)-/.exec(range ?? "bytes=0-")?.[1]);
    });
  }
}

async function start(
  registry: FaultyRegistry,
  options: { buckets?: string[]; flags?: string[]; folder?: string; script?: string } = {},
): Promise<Workerd> {
  return await startWorkerd({
    script: await script,
    bindings: { GANTRY_TOKEN: TOKEN, GANTRY_REGISTRIES: registry.registries },
    objects: { ENGINE: "GantryEngine" },
    ...options,
  });
}

function pull({ url }: Workerd, name: string, init: RequestInit = {}): Promise<Response> {
  const { headers: more, ...rest } = init;
  const all = { ...headers, ...Object.fromEntries(new Headers(more)) };
  return fetch(`${url}/libpod/images/pull?reference=${name}`, { method: "POST", headers: all, ...rest });
}

async function imagesOf({ url }: Workerd): Promise<unknown[]> {
  return await (await fetch(`${url}/libpod/images/json`, { headers })).json();
}

/** Waits until a runtime's folder holds the staged megabytes and no longer grows: what the registry sent has come to the disk. */
async function arrival(folder: string): Promise<void> {
  let last = -1;
  for (let waits = 0; waits < 60; waits++) {
    const size = await bytesBelow(folder);
    if (size >= 8 * MB && size === last) return;
    last = size;
    await pause(500);
  }
  throw new Error(`After 30 s the runtime's folder holds ${last} bytes; at least ${8 * MB} were sent to it`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function bytesBelow(folder: string): Promise<number> {
  let size = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    // A temporary file may be gone by now.
    size += isDirectory ? await bytesBelow(path) : (await Deno.stat(path).catch(() => ({ size: 0 }))).size;
  }
  return size;
}

/** Starts a pull and lets its caller go away in the middle of the layer, once its first bytes are out and `moment` has come. */
async function pullAndLeave(workerd: Workerd, registry: StallingRegistry, moment?: () => Promise<void>): Promise<void> {
  const gone = new AbortController();
  const answer = pull(workerd, registry.name, { signal: gone.signal }).then((response) => response.text());
  answer.catch(() => {});
  await registry.stalled;
  await moment?.();
  gone.abort();
  await answer.catch(() => {});
  assertEquals(await imagesOf(workerd), []);
  assertEquals(registry.offsets(), [0]);
}

Deno.test("a pull whose caller goes away ends, and the next goes on where it was, with enable_request_signal", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-cut-" });
  try {
    await using registry = new StallingRegistry();
    await using workerd = await start(registry, { flags: ["enable_request_signal"], folder });
    await pullAndLeave(workerd, registry, () => arrival(folder));
    assertMatch(await (await pull(workerd, registry.name)).text(), PULLED);
    const [from] = registry.offsets();
    assert(from > 0, "It was asked for from its beginning");
    registry.goOn();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a pull whose caller goes away comes to its end, and the next waits for it, without enable_request_signal", async () => {
  await using registry = new StallingRegistry();
  await using workerd = await start(registry);
  await pullAndLeave(workerd, registry);
  const next = pull(workerd, registry.name).then((response) => response.text());
  registry.goOn();
  assertMatch(await next, PULLED);
  assertEquals(registry.offsets(), [], "nothing is fetched twice");
});

for (const buckets of [[], ["BLOBS"]]) {
  Deno.test(`what was staged is there when the runtime starts again (${buckets[0] ?? "SQLite"})`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-cut-" });
    try {
      await using registry = new StallingRegistry();
      {
        await using workerd = await start(registry, { buckets, folder });
        pull(workerd, registry.name).then((response) => response.text()).catch(() => {});
        await registry.stalled;
        await arrival(folder);
      }
      registry.offsets();
      registry.goOn();
      await using again = await start(registry, { buckets, folder });
      assertEquals(await imagesOf(again), []);
      assertMatch(await (await pull(again, registry.name)).text(), PULLED);
      const [from] = registry.offsets();
      assert(from >= 8 * MB, `It was asked for from byte ${from} on`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("requests that pull the same image at once fetch it once", async () => {
  await using registry = new FaultyRegistry();
  const name = registry.add("same:1", image);
  await using workerd = await start(registry);
  const answers = await Promise.all(
    Array.from({ length: 4 }, async () => await (await pull(workerd, name)).text()),
  );
  for (const answer of answers) assertMatch(answer, PULLED);
  assertEquals(registry.takeBlobs().filter(({ what }) => what === layer).length, 1);
});

Deno.test("a put that R2 fails leaves nothing visible, and the next pull goes on", async () => {
  await using registry = new FaultyRegistry();
  const name = registry.add("failing:1", image);
  const script = await bundled("tests/conformance/edge/failing_bucket_workers.ts", "workers");
  await using workerd = await start(registry, { script, buckets: ["BLOBS"] });
  const bucket = async () => await (await fetch(`${workerd.url}/bucket`, { headers })).json();
  for (const n of ["1", "2", "3"]) {
    const failed = await (await pull(workerd, name, { headers: { "x-fail-put": n } })).text();
    assertMatch(failed, /internal error/, `put ${n}`);
    assertEquals(await imagesOf(workerd), []);
  }
  registry.takeBlobs();
  const pulled = await (await pull(workerd, name, { headers: { "x-fail-put": "Infinity" } })).text();
  assertMatch(pulled, PULLED);
  const [{ range }] = registry.takeBlobs().filter(({ what }) => what === layer);
  assertEquals(range, `bytes=${8 * MB}-`);
  const removed = await fetch(`${workerd.url}/libpod/images/remove?all=true`, { method: "DELETE", headers });
  assertEquals((await removed.json()).ExitCode, 0);
  assertEquals(await bucket(), []);
});

Deno.test("a save whose caller goes away ends, and what it read can go", async () => {
  await using registry = new FaultyRegistry();
  const name = registry.add("left:1", image);
  const script = await bundled("tests/conformance/edge/failing_bucket_workers.ts", "workers");
  await using workerd = await start(registry, { script, buckets: ["BLOBS"] });
  assertMatch(await (await pull(workerd, name)).text(), PULLED);
  const saved = await fetch(`${workerd.url}/libpod/images/${image.id}/get`, { headers });
  const reader = saved.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const bucket = async () => await (await fetch(`${workerd.url}/bucket`, { headers })).json();
  await fetch(`${workerd.url}/libpod/images/remove?all=true`, { method: "DELETE", headers });
  // The runtime learns of it when what it sends goes nowhere.
  for (const end = Date.now() + 20_000; (await bucket()).length > 0 && Date.now() < end;) await pause(200);
  assertEquals(await bucket(), []);
});
