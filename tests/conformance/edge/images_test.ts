/** What needs no kernel does the same in memory under Deno and in workerd, on SQLite and R2. */
import { assertEquals } from "@std/assert";
import { artifactsAPI } from "../../../handlers/artifacts/api.ts";
import { compatImagesAPI } from "../../../handlers/compat/images/api.ts";
import { compatRegistriesAPI } from "../../../handlers/compat/registries/api.ts";
import { imagesAPI } from "../../../handlers/images/api.ts";
import { manifestsAPI } from "../../../handlers/manifests/api.ts";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { buildImage, buildIndex, pushImage, sha256 } from "../../fixtures/images/image_builder.ts";
import { startRegistry, type TestRegistry } from "../../fixtures/images/registry.ts";
import { run } from "../../fixtures/run.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { memoryEngine } from "../memory_engine.ts";
import { startWorkerd } from "../workerd.ts";
import { artifactCases } from "./artifact_cases.ts";
import { type Deployment, type EdgeCase, Replay, type SendBytes } from "./edge_case.ts";
import { imageCases, lastCases } from "./image_cases.ts";
import { listCases } from "./list_cases.ts";

const CASES: readonly EdgeCase[] = [...imageCases, ...listCases, ...artifactCases, ...lastCases];
const TOKEN = "a-token-of-a-test";
const script = bundled("lib/platform/entries/workers.ts", "workers");

/** Two deployments of one kind. */
interface Place extends AsyncDisposable {
  send: SendBytes;
}

async function inMemory(registries: string): Promise<Place> {
  const deployments = { first: await memoryEngine(registries), second: await memoryEngine(registries) };
  return {
    send: async (at, method, path, body) => {
      const request = new Request(`http://localhost${path}`, init(method, body));
      return await deployments[at](request);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function inWorkerd(registries: string, buckets: string[]): Promise<Place> {
  const options = {
    script: await script,
    bindings: { GANTRY_TOKEN: TOKEN, GANTRY_REGISTRIES: registries },
    objects: { ENGINE: "GantryEngine" },
    buckets,
  };
  const [first, second] = await Promise.all([startWorkerd(options), startWorkerd(options)]);
  const urls: Record<Deployment, string> = { first: first.url, second: second.url };
  return {
    send: (at, method, path, body) => {
      const { headers, ...rest } = init(method, body);
      return fetch(urls[at] + path, { ...rest, headers: { ...headers, authorization: `Bearer ${TOKEN}` } });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first, second].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

function init(method: string, body?: Parameters<SendBytes>[3]) {
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": body.type };
  return { method, headers, body: body?.bytes };
}

const PLACES: { open: (registries: string) => Promise<Place>; skip?: EdgeCase["onlyIn"] }[] = [
  { open: inMemory, skip: "workerd" },
  { open: (registries) => inWorkerd(registries, []) },
  { open: (registries) => inWorkerd(registries, ["BLOBS"]) },
];

Deno.test("the cases have every operation on images, manifest lists, artifacts and registries", () => {
  const families = [imagesAPI, compatImagesAPI, compatRegistriesAPI, manifestsAPI, artifactsAPI];
  const named = new Set(CASES.map(({ operation }) => operation));
  const missing = families.flatMap(({ operations }) => Object.keys(operations)).filter((name) => !named.has(name));
  assertEquals(missing, []);
});

Deno.test("what needs no kernel is the same in memory and in workerd, on SQLite and R2", async (t) => {
  const registry = await startRegistry();
  const files = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response(ROOT));
  try {
    const words = { ...await fillRegistry(registry), FILES: `http://127.0.0.1:${files.addr.port}` };
    const replays = PLACES.map(async ({ open, skip }, n) => {
      await using served = await open(registry.registriesConf);
      const replay = new Replay(served.send, { ...words, TARGET: `${registry.host}/edge-${n}` }, BYTES);
      for (const [i, one] of CASES.entries()) if (skip === undefined || one.onlyIn !== skip) await replay.run(one, i);
      return replay;
    });
    const [expected, ...others] = await Promise.all(replays);
    for (const [i, { request }] of CASES.entries()) {
      for (const { answers } of others) assertEquals(answers.get(i), expected.answers.get(i), request);
    }
    for (const replay of [expected, ...others]) {
      await t.step(`skopeo reads ${replay.word("TARGET")}`, () => checkWithSkopeo(replay));
    }
  } finally {
    await Promise.all([registry.close(), files.shutdown()]);
  }
});

/** The digests that were told are those of what is there. */
async function checkWithSkopeo(replay: Replay): Promise<void> {
  const pushed = { LIST_DIGEST: "list:1", FORMER_DIGEST: "former:1", CONVERTED: "converted:1" };
  for (const [word, name] of Object.entries(pushed)) {
    const source = `docker://${replay.word("TARGET")}/${name}`;
    const { code, stdout, stderr } = await run(["skopeo", "inspect", "--raw", "--tls-verify=false", source]);
    assertEquals(code, 0, stderr);
    assertEquals(sha256(new TextEncoder().encode(stdout)), replay.word(word), name);
  }
}

const ROOT = new Uint8Array(buildTar([
  { type: "dir", path: "bin" },
  { type: "file", path: "bin/a", content: "a program", mode: 0o755 },
  { type: "file", path: "etc/large", content: noise(1_200_000, 1) },
]));
const FILE = noise(1_100_000, 2);
const BYTES = {
  ROOT,
  FILE,
  ROOT_GZ: new Uint8Array(
    await new Response(new Blob([ROOT]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  ),
  FORM: form({ operation: "update", artifact_type: "x/files" }, {
    "note.txt": "a note",
    "zeroes.bin": "\0".repeat(200_000),
  }),
};

/** Puts the cases' images into a registry, and says what they are. */
async function fillRegistry(registry: TestRegistry): Promise<Record<string, string>> {
  const layers = (seed: number) => [
    { entries: [{ type: "file" as const, path: "hello", content: `hello ${seed}` }] },
    { entries: [{ type: "file" as const, path: "large", content: noise(1_200_000, seed) }] },
  ];
  const amd64 = { architecture: "amd64", config: { Cmd: ["hello"] } };
  const source = buildImage({ ...amd64, layers: layers(3) });
  const docker = buildImage({ ...amd64, layers: [...layers(4), { ...layers(5)[0], gzip: false }], format: "docker" });
  const arm64 = buildImage({ architecture: "arm64", variant: "v8", layers: layers(6) });
  const index = buildIndex([buildImage({ ...amd64, layers: layers(7) }), arm64]);
  for (const [name, image] of Object.entries({ source, docker, index })) {
    await pushImage(registry.url, `edge/${name}:1`, image);
  }
  const { host } = registry;
  return {
    HOST: host,
    SOURCE: `${host}/edge/source:1`,
    SOURCE_ID: source.id,
    SOURCE_DIGEST: source.digest,
    DOCKER: `${host}/edge/docker:1`,
    INDEX: `${host}/edge/index:1`,
    ROOT_DIGEST: sha256(ROOT),
    FILE_DIGEST: sha256(FILE),
  };
}

/** Bytes that do not pack well, the same each time. */
function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  return new Uint8Array(length).map(() => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16);
}

/** Options and files as a client sends them in parts. */
function form(options: unknown, files: Record<string, string>): Uint8Array<ArrayBuffer> {
  const head = (name: string) => `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const parts = [["options", JSON.stringify(options)], ...Object.entries(files)];
  const text = parts.map(([name, content]) => `${head(name)}${content}\r\n`).join("");
  return new TextEncoder().encode(`${text}--edge--\r\n`);
}
