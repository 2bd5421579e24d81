/** An edge deployment mirrors an image between two registries: what passes through is never held whole. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { startRegistry, type TestRegistry } from "../../fixtures/images/registry.ts";
import { startWorkerd } from "../workerd.ts";
import { isLongRun } from "../../long_run.ts";

const MB = 1024 * 1024;
/** Bytes of the layer before it is packed, which adds little. */
const SIZE = (isLongRun ? 1024 : 96) * MB;
/** What an engine may take above what workerd takes when idle. */
const ALLOWED = 128 * MB;

const TOKEN = "a-token-of-a-test";
const headers = { authorization: `Bearer ${TOKEN}` };
const TYPES = "application/vnd.oci.image";

/** Places of blobs, and the archives that are saved from and loaded into each: both formats cross both places in long runs only. */
const PLACES: Record<string, string[]> = {
  "a Durable Object's SQLite": ["oci-archive", ...isLongRun ? ["docker-archive"] : []],
  "R2": ["docker-archive", ...isLongRun ? ["oci-archive"] : []],
};

for (const [place, formats] of Object.entries(PLACES)) {
  Deno.test(`a Worker mirrors a layer of ${SIZE / MB} MB through ${place} in ${ALLOWED / MB} MB`, async (t) => {
    const [from, to] = await Promise.all([startRegistry(), startRegistry()]);
    const folder = await Deno.makeTempDir({ prefix: "gantry-mirror-" });
    try {
      const image = await pushBigImage(from);
      // miniflare's bucket lives in workerd, too: what it takes for itself is not the engine's.
      const bucket = place === "R2" ? await memoryOfBucket() : 0;
      const buckets = place === "R2" ? ["BLOBS"] : [];
      const own = { registries: from.registriesConf + to.registriesConf, buckets, folder };
      const edge = (work: (call: Call, url: string) => Promise<void>) => {
        return measured({ ...own, allowed: ALLOWED + bucket }, work);
      };
      await t.step("pulls it, and pushes it under another name and in a list", () =>
        edge(async (call) => {
          assertMatch(await call("POST", `/images/pull?reference=${from.host}/big:1`), /"id":"[0-9a-f]{64}"/);
          await call("POST", `/images/${from.host}/big:1/tag?repo=${to.host}/copy&tag=2`);
          const pushed = await call("POST", `/images/${to.host}/copy:2/push?quiet=true`);
          assert(!pushed.includes('"error"'), pushed);
          await pushList(call, to, image.manifest);
        }));
      await t.step("the copy has the original's digests, and its bytes", async () => {
        const accept = `${TYPES}.manifest.v1+json`;
        const manifest = await fetch(`${to.url}/v2/copy/manifests/2`, { headers: { accept } });
        assertEquals(manifest.headers.get("docker-content-digest"), image.manifest);
        const layer = await fetch(`${to.url}/v2/copy/blobs/${image.layer}`, { method: "HEAD" });
        assertEquals(Number(layer.headers.get("content-length")), image.size);
        await manifest.body?.cancel();
      });
      for (const format of formats) {
        const path = `${folder}/saved.tar`;
        await t.step(`saves it as ${format}`, () =>
          edge(async (_call, url) => {
            const saved = await fetch(`${url}/libpod/images/${image.id}/get?format=${format}`, { headers });
            await saved.body?.pipeTo((await Deno.create(path)).writable);
          }));
        await t.step(`loads that`, () =>
          edge(async (call, url) => {
            await call("DELETE", "/images/remove?all=true&force=true");
            const body = (await Deno.open(path)).readable;
            const loaded = await fetch(`${url}/libpod/images/load`, { method: "POST", headers, body });
            assertMatch(await loaded.text(), new RegExp(`"Names":\\["sha256:${image.id}"\\]`));
            await Deno.remove(path);
          }));
      }
      await t.step("removing it leaves nothing of it", () =>
        edge(async (call) => {
          await call("DELETE", "/images/remove?all=true&force=true");
          assertEquals(JSON.parse(await call("GET", "/images/json")), []);
          if (place === "R2") assert(sizeOf(folder) < SIZE / 2, "The bucket still holds the layer");
        }));
    } finally {
      await Promise.all([from.close(), to.close()]);
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Asks the engine; gives the answer's text. */
type Call = (method: string, path: string) => Promise<string>;

/** Runs work on an edge deployment, and fails when that takes more memory than allowed. The folder keeps what it holds. */
async function measured(
  options: { registries: string; buckets: string[]; folder: string; allowed: number },
  work: (call: Call, url: string) => Promise<void>,
): Promise<void> {
  const { registries, buckets, folder, allowed } = options;
  await using workerd = await startWorkerd({
    script: await bundled("lib/platform/entries/workers.ts", "workers"),
    bindings: { GANTRY_TOKEN: TOKEN, GANTRY_REGISTRIES: registries },
    objects: { ENGINE: "GantryEngine" },
    buckets,
    folder,
  });
  const call: Call = async (method, path) => {
    return await (await fetch(`${workerd.url}/v5.0.0/libpod${path}`, { method, headers })).text();
  };
  await call("GET", "/version");
  using memory = new MemoryWatch();
  const idle = memory.highest;
  await work(call, workerd.url);
  const grown = memory.highest - idle;
  assert(grown < allowed, `workerd took ${(grown / MB).toFixed()} MB more than when idle`);
}

/** Puts the copy into a manifest list and pushes that. */
async function pushList(call: Call, to: TestRegistry, manifest: string): Promise<void> {
  const list = "/manifests/localhost/list";
  assertMatch(await call("POST", `${list}?images=${to.host}/copy:2`), /"Id"/);
  const target = encodeURIComponent(`${to.host}/listed:1`);
  const [, digest] = /"Id":"(sha256:[0-9a-f]{64})"/.exec(await call("POST", `${list}/registry/${target}`)) ?? [];
  const accept = `${TYPES}.index.v1+json`;
  const pushed = await fetch(`${to.url}/v2/listed/manifests/1`, { headers: { accept } });
  assertEquals(pushed.headers.get("docker-content-digest"), digest);
  assertEquals((await pushed.json()).manifests[0].digest, manifest);
  await call("DELETE", list);
}

/** What workerd takes for the bucket itself while as much goes into it as in the test. */
async function memoryOfBucket(): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bucket-" });
  try {
    const script = `export default { async fetch(request, { BLOBS }) {
      for (let n = 0; n < ${Math.ceil(SIZE / (8 * MB))}; n++) await BLOBS.put("blobs/" + n, new Uint8Array(${8 * MB}));
      return new Response("put");
    } };`;
    await using workerd = await startWorkerd({ script, buckets: ["BLOBS"], folder });
    using memory = new MemoryWatch();
    const idle = memory.highest;
    assertEquals(await (await fetch(workerd.url)).text(), "put");
    return memory.highest - idle;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Bytes of the files in a folder. */
function sizeOf(folder: string): number {
  let size = 0;
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    size += isDirectory ? sizeOf(`${folder}/${name}`) : Deno.statSync(`${folder}/${name}`).size;
  }
  return size;
}

/** An image, by its ID, its manifest's digest, and its layer's with its bytes. */
interface BigImage {
  id: string;
  manifest: string;
  layer: string;
  size: number;
}

/** Pushes an image whose one layer does not fit into the memory allowed. */
async function pushBigImage({ url }: TestRegistry): Promise<BigImage> {
  const plain = createHash("sha256");
  for (const piece of pieces()) plain.update(piece);
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of packed()) {
    hash.update(piece);
    size += piece.length;
  }
  const layer = `sha256:${hash.digest("hex")}`;
  await upload(url, layer, ReadableStream.from(packed()));
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [`sha256:${plain.digest("hex")}`] },
  });
  const configDigest = digestOf(config);
  await upload(url, configDigest, config);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: `${TYPES}.manifest.v1+json`,
    config: { mediaType: `${TYPES}.config.v1+json`, digest: configDigest, size: config.length },
    layers: [{ mediaType: `${TYPES}.layer.v1.tar+gzip`, digest: layer, size }],
  });
  const put = await fetch(`${url}/v2/big/manifests/1`, {
    method: "PUT",
    headers: { "content-type": `${TYPES}.manifest.v1+json` },
    body: manifest,
  });
  assertEquals(put.status, 201, await put.text());
  return { id: configDigest.slice("sha256:".length), manifest: digestOf(manifest), layer, size };
}

/** The layer as gzip that compresses nothing: fast, and as large as it was. */
function packed(): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return Readable.from(pieces()).pipe(createGzip({ level: 0 }));
}

function* pieces(): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < SIZE; at += MB) {
    const piece = new Uint8Array(MB);
    // No two pieces are alike, and none is all zeros.
    new DataView(piece.buffer).setUint32(0, at);
    piece.fill(at / MB, 8);
    yield piece;
  }
}

async function upload(url: string, digest: string, body: BodyInit): Promise<void> {
  const begun = await fetch(`${url}/v2/big/blobs/uploads/`, { method: "POST" });
  const location = new URL(begun.headers.get("location") ?? "", url);
  await begun.body?.cancel();
  location.searchParams.set("digest", digest);
  const put = await fetch(location, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body,
  });
  assertEquals(put.status, 201, await put.text());
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Looks at the memory of this process's workerd every few milliseconds. */
class MemoryWatch implements Disposable {
  /** Bytes of the largest moment. */
  highest = 0;
  readonly #processes = workerdProcesses();
  readonly #timer = setInterval(() => this.#look(), 20);

  constructor() {
    this.#look();
  }

  #look(): void {
    const bytes = workerdMemory(this.#processes);
    assert(bytes > 0, "There is no workerd to look at");
    this.highest = Math.max(this.highest, bytes);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** The IDs of workerd's processes that this process has started: to read all of /proc for each look takes half a processor. */
function workerdProcesses(): string[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => name).filter((name) => {
    const status = /^\d+$/.test(name) ? statusOf(name) : "";
    return /^Name:\tworkerd$/m.test(status) && status.includes(`\nPPid:\t${Deno.pid}\n`);
  });
}

/** Bytes that these processes have in memory. */
function workerdMemory(processes: readonly string[]): number {
  // Files that are mapped do not count: the system may take them back.
  return processes.reduce((sum, id) => sum + Number(/^RssAnon:\s+(\d+)/m.exec(statusOf(id))?.[1] ?? 0) * 1024, 0);
}

/** What /proc says of a process; nothing of one that has ended. */
function statusOf(id: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${id}/status`);
  } catch {
    return "";
  }
}
