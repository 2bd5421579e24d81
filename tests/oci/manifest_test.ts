import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseImageConfig } from "../../lib/oci/image_config.ts";
import { parseManifest } from "../../lib/oci/manifest.ts";
import { bareMediaType, detectCompression, layerCompression, MEDIA_TYPE } from "../../lib/oci/media_type.ts";
import { choosePlatform, platformMatches } from "../../lib/oci/platform.ts";

const D = `sha256:${"a".repeat(64)}`;
const DESCRIPTOR = { mediaType: MEDIA_TYPE.ociLayerGzip, digest: D, size: 5 };
const MANIFEST = {
  schemaVersion: 2,
  mediaType: MEDIA_TYPE.ociManifest,
  config: { ...DESCRIPTOR, mediaType: MEDIA_TYPE.ociConfig },
  layers: [DESCRIPTOR],
};
const INDEX = {
  schemaVersion: 2,
  mediaType: MEDIA_TYPE.ociIndex,
  manifests: [{ ...DESCRIPTOR, platform: { os: "linux", architecture: "arm64", variant: "v8" } }],
};

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

Deno.test("parseManifest() reads manifests and indexes of both families", () => {
  const manifest = parseManifest(json({ ...MANIFEST, annotations: { a: "b" } }), MEDIA_TYPE.ociManifest);
  assert(manifest.kind === "manifest");
  assertEquals([manifest.config.digest, manifest.layers, manifest.annotations], [D, [DESCRIPTOR], { a: "b" }]);
  const index = parseManifest(json(INDEX));
  assert(index.kind === "index");
  assertEquals(index.manifests[0].platform, { os: "linux", architecture: "arm64", variant: "v8" });
  const docker = parseManifest(json({ ...MANIFEST, mediaType: MEDIA_TYPE.dockerManifest }), MEDIA_TYPE.dockerManifest);
  assertEquals([docker.kind, docker.mediaType], ["manifest", MEDIA_TYPE.dockerManifest]);
  const list = parseManifest(json({ ...INDEX, mediaType: MEDIA_TYPE.dockerList }));
  assertEquals([list.kind, list.mediaType], ["index", MEDIA_TYPE.dockerList]);
});

Deno.test("parseManifest() decides by what the document says, then the registry, then its fields", () => {
  const { mediaType: _, ...bare } = MANIFEST;
  assertEquals(parseManifest(json(bare), MEDIA_TYPE.dockerManifest).mediaType, MEDIA_TYPE.dockerManifest);
  assertEquals(parseManifest(json(bare), "application/json").mediaType, MEDIA_TYPE.ociManifest);
  assertEquals(parseManifest(json(MANIFEST), "text/plain").mediaType, MEDIA_TYPE.ociManifest);
  const nulls = parseManifest(json({ ...INDEX, manifests: null, annotations: null }));
  assert(nulls.kind === "index" && nulls.manifests.length === 0);
});

const REFUSED: [string, unknown, string?][] = [
  ["no JSON", "{"],
  ["no object", "[]"],
  ["null", "null"],
  ["bytes that are not UTF-8", "\ud800"],
  ["schema 1", { schemaVersion: 1, fsLayers: [] }],
  ["schema 1 by its type", MANIFEST, MEDIA_TYPE.dockerSchema1Signed],
  ["another schema", { ...MANIFEST, schemaVersion: 3 }],
  ["no schema", {}],
  ["two kinds at once", { ...MANIFEST, manifests: [] }],
  ["two types at once", MANIFEST, MEDIA_TYPE.ociIndex],
  ["an index called manifest", { ...INDEX, mediaType: MEDIA_TYPE.ociManifest }],
  ["a manifest called index", { ...MANIFEST, mediaType: MEDIA_TYPE.ociIndex }],
  ["no config", { ...MANIFEST, config: undefined }],
  ["no layers", { ...MANIFEST, layers: undefined }],
  ["a bad digest", { ...MANIFEST, layers: [{ ...DESCRIPTOR, digest: "sha256:../../x" }] }],
  ["a negative size", { ...MANIFEST, layers: [{ ...DESCRIPTOR, size: -1 }] }],
  ["a broken size", { ...MANIFEST, layers: [{ ...DESCRIPTOR, size: 1.5 }] }],
  ["a huge size", { ...MANIFEST, layers: [{ ...DESCRIPTOR, size: 1e300 }] }],
  ["a text for a size", { ...MANIFEST, layers: [{ ...DESCRIPTOR, size: "5" }] }],
  ["annotations of numbers", { ...MANIFEST, annotations: { a: 1 } }],
  ["a null layer", { ...MANIFEST, layers: [null] }],
];

for (const [what, document, type] of REFUSED) {
  Deno.test(`parseManifest() refuses ${what}`, () => {
    const bytes = what.includes("UTF-8") ? Uint8Array.of(0x7b, 0xff, 0x7d) : json(document);
    assertThrows(() => parseManifest(bytes, type), SyntaxError, "Parse manifest: ");
  });
}

Deno.test("parseManifest() refuses what is too large, too deep or too long", () => {
  const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  const large = json({ ...MANIFEST, pad: "x".repeat(4 * 1024 * 1024) });
  for (const bytes of [large, json(deep), json({ ...MANIFEST, layers: Array(1025).fill(DESCRIPTOR) })]) {
    assertThrows(() => parseManifest(bytes), RangeError, "Parse manifest: ");
  }
  assertThrows(() => parseManifest(json({ ...INDEX, manifests: Array(4097).fill(DESCRIPTOR) })), RangeError);
  assertEquals(parseManifest(json({ ...MANIFEST, annotations: { deep: '[[[[{{{{\\"'.repeat(99) } })).kind, "manifest");
});

Deno.test("choosePlatform() takes what runs best", () => {
  const entry = (architecture: string, variant?: string, os = "linux") => {
    const digest = `sha256:${[os, architecture, variant].join("-")}`;
    return {
      mediaType: "",
      digest,
      size: 1,
      platform: { os, architecture, ...(variant === undefined ? {} : { variant }) },
    };
  };
  const index = {
    manifests: [
      entry("unknown", undefined, "unknown"),
      { mediaType: "", digest: "none", size: 1 },
      entry("amd64", undefined, "windows"),
      entry("arm", "v5"),
      entry("arm", "v6"),
      entry("arm", "v7"),
      entry("amd64", "v3"),
      entry("amd64"),
      entry("arm64", "v8"),
      entry("386"),
    ],
  };
  const chosen = (architecture: string, variant?: string) => {
    return choosePlatform(index, { os: "linux", architecture, ...(variant === undefined ? {} : { variant }) })?.digest;
  };
  assertEquals(chosen("amd64"), "sha256:linux-amd64-");
  assertEquals(chosen("x86_64"), "sha256:linux-amd64-");
  assertEquals(chosen("amd64", "v2"), "sha256:linux-amd64-");
  assertEquals(chosen("amd64", "v4"), "sha256:linux-amd64-v3");
  assertEquals(chosen("arm64"), "sha256:linux-arm64-v8");
  assertEquals(chosen("aarch64", "v8"), "sha256:linux-arm64-v8");
  assertEquals(chosen("arm"), "sha256:linux-arm-v7");
  assertEquals(chosen("arm", "v6"), "sha256:linux-arm-v6");
  assertEquals(chosen("armhf"), "sha256:linux-arm-v7");
  assertEquals(chosen("armel"), "sha256:linux-arm-v6");
  assertEquals(chosen("riscv64"), undefined);
  assertEquals(choosePlatform(index, { os: "freebsd", architecture: "amd64" }), undefined);
  assert(platformMatches({ os: "linux", architecture: "amd64" }, { os: "linux", architecture: "x86_64" }));
});

Deno.test("parseImageConfig() reads what it knows and keeps what it does not", () => {
  const document = {
    architecture: "amd64",
    os: "linux",
    created: null,
    "moby.buildkit": { a: 1 },
    container: "x",
    config: {
      Env: ["A=b"],
      Cmd: "sh -c x",
      Entrypoint: null,
      Labels: { a: "b" },
      Odd: 5,
      Healthcheck: { Test: ["NONE"], Interval: 5e9 },
    },
    rootfs: { type: "layers", diff_ids: [D], extra: true },
    history: [{ created: "x", created_by: "y", empty_layer: true }, { comment: null }],
  };
  const config = parseImageConfig(json(document));
  assertEquals(config.config, {
    Env: ["A=b"],
    Cmd: ["sh -c x"],
    Labels: { a: "b" },
    Odd: 5,
    Healthcheck: { Test: ["NONE"], Interval: 5e9 },
  });
  assertEquals([config["moby.buildkit"], config.container, "created" in config], [{ a: 1 }, "x", false]);
  assertEquals<unknown>(config.rootfs, { type: "layers", diff_ids: [D], extra: true });
  assertEquals(config.history, [{ created: "x", created_by: "y", empty_layer: true }, {}]);
  assertEquals(parseImageConfig(json({ rootfs: { diff_ids: null } })), {
    architecture: "",
    os: "",
    rootfs: { type: "layers", diff_ids: [] },
  });
});

Deno.test("parseImageConfig() refuses wrong shapes", () => {
  const base = { architecture: "a", os: "b", rootfs: { diff_ids: [D] } };
  const wrong = [
    {},
    { ...base, rootfs: { diff_ids: ["x"] } },
    { ...base, rootfs: { diff_ids: D } },
    { ...base, os: 5 },
    { ...base, history: {} },
    {
      ...base,
      history: [5],
    },
    { ...base, history: [{ empty_layer: 1 }] },
  ];
  const bad = [[], { Env: "A=b" }, { Env: [5] }, { User: 0 }, { Volumes: [] }, { Labels: { a: 1 } }, {
    Healthcheck: [],
  }, { Healthcheck: { Interval: "5s" } }];
  for (const document of [...wrong, ...bad.map((config) => ({ ...base, config }))]) {
    assertThrows(() => parseImageConfig(json(document)), SyntaxError, "Parse image config: ");
  }
  assertThrows(() => parseImageConfig(json({ ...base, rootfs: { diff_ids: Array(1025).fill(D) } })), RangeError);
  assertThrows(() => parseImageConfig(new Uint8Array(9 * 1024 * 1024)), RangeError);
});

Deno.test("parseManifest() and parseImageConfig() throw SyntaxError or RangeError only (fuzz)", () => {
  const seeds = [MANIFEST, INDEX, {
    architecture: "a",
    os: "b",
    config: { Env: ["A=b"], Labels: { a: "b" } },
    rootfs: { diff_ids: [D] },
    history: [{}],
  }];
  const odd: unknown[] = [null, 0, -1, "", "x", [], {}, [null], { a: null }, true, 1e99, "__proto__"];
  let state = 20261121;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >>> 8;
  const mutate = (value: unknown): unknown => {
    if (random() % 12 === 0) return odd[random() % odd.length];
    if (Array.isArray(value)) return value.map(mutate);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mutate(item)]));
  };
  let taken = 0;
  for (let round = 0; round < 6000; round++) {
    const bytes = json(mutate(seeds[round % 3]));
    if (random() % 8 === 0) bytes[random() % bytes.length] = random() & 255;
    for (const parse of [parseManifest, parseImageConfig]) {
      try {
        parse(bytes);
        taken++;
      } catch (error) {
        assert(error instanceof SyntaxError || error instanceof RangeError, String(error));
      }
    }
  }
  assert(taken > 500);
});

Deno.test("layerCompression() and detectCompression() tell gzip, zstd and plain", () => {
  assertEquals(layerCompression(MEDIA_TYPE.dockerLayerGzip), "gzip");
  assertEquals(layerCompression(MEDIA_TYPE.ociLayerZstd), "zstd");
  assertEquals(layerCompression(MEDIA_TYPE.ociLayer), "none");
  assertEquals(layerCompression("application/wasm"), undefined);
  assertEquals(detectCompression(Uint8Array.of(0x1f, 0x8b, 8, 0)), "gzip");
  assertEquals(detectCompression(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd)), "zstd");
  assertEquals(detectCompression(new Uint8Array(512)), "none");
  assertEquals(detectCompression(Uint8Array.of(0x1f)), "none");
  assertEquals(bareMediaType("Application/JSON; charset=utf-8"), "application/json");
});
