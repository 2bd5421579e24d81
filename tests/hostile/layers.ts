/** Layers, archives and manifests that are not what they say. */
import { assert, assertEquals } from "@std/assert";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  buildImage,
  buildIndex,
  type BuiltImage,
  busyboxImage,
  type ManifestDocument,
  sha256,
} from "../fixtures/images/image_builder.ts";
import { type Faults, startBadRegistry } from "../fixtures/images/bad_registry.ts";
import { buildTar, type Entry, pad, paxRecord, tarHeader } from "../fixtures/images/tar_builder.ts";
import type { HostileCase } from "./corpus.ts";
import type { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

const FINE: Entry = { type: "file", path: "fine", content: "x" };
const evil = (path: string): Entry => ({ type: "file", path, content: "evil" });
const BOMB = isLongRun ? 4 * 2 ** 30 : 2 ** 28;

/** Layers that must not be taken; `canaries` is where they aim. */
const REFUSED: Record<string, (canaries: string) => Entry[]> = {
  "absolute names": (canaries) => [evil(`${canaries}/new`)],
  "names with ..": () => [evil("a/../../../../../../new")],
  "names in PAX that lead out": (canaries) => [{ type: "file", path: "fine", pax: { path: `${canaries}/new` } }],
  "files through a link out": (canaries) => [{ type: "symlink", path: "door", target: canaries }, evil("door/new")],
  "hard links out": (canaries) => [{ type: "hardlink", path: "stolen", target: `../../../../../..${canaries}/secret` }],
  "hard links through a link out": (canaries) => [
    { type: "symlink", path: "door", target: canaries },
    { type: "hardlink", path: "stolen", target: "door/secret" },
  ],
  "whiteouts of ..": () => [evil("d/.wh...")],
  "whiteouts through a link out": (canaries) => [
    { type: "symlink", path: "door", target: canaries },
    { type: "whiteout", path: "door/secret" },
  ],
  "an opaque mark through a link out": (canaries) => [
    { type: "symlink", path: "door", target: canaries },
    { type: "opaque", path: "door" },
  ],
  "a folder that becomes a link, and is written to": (canaries) => [
    evil("door/first"),
    { type: "symlink", path: "door", target: canaries },
    evil("door/new"),
  ],
  "device nodes without end": () =>
    Array.from({ length: 5000 }, (_, i) => ({ type: "char", path: `d${i}`, major: 8, minor: 0 })),
  "a PAX header of megabytes": () => [{ type: "file", path: "f", pax: { comment: new Uint8Array(2 ** 21) } }],
  "names in PAX of megabytes": () => [{ type: "file", path: "f", pax: { path: "x/".repeat(400_000) } }],
  "names in GNU's form of megabytes": () => [
    { type: "raw", bytes: tarHeader({ name: "././@LongLink", flag: "L", size: 2 ** 22 }) },
    { type: "raw", bytes: new Uint8Array(2 ** 22).fill(97) },
    FINE,
  ],
  "sizes past 2^60": () => [{ type: "raw", bytes: tarHeader({ name: "x", flag: "0", size: 2 ** 62 }) }],
  "a size in PAX below zero": () => [{ type: "file", path: "f", pax: { size: "-1" } }],
  "sparse maps without end": () => [{
    type: "file",
    path: "f",
    pax: { "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1152921504606846976" },
  }],
  "attributes of folders that fill a memory": () =>
    Array.from(
      { length: 400 },
      (_, i) => ({ type: "dir", path: `d${i}`, xattrs: { "user.big": new Uint8Array(900_000) } }),
    ),
};

/** Pulls an image of a registry that does as told; nothing of it may be in the store. */
async function refusedPull(stage: Stage, image: BuiltImage, faults: Faults = {}): Promise<void> {
  const registry = await startBadRegistry(image, faults);
  try {
    const text = await stage.pull(`${registry.host}/hostile/image:1`, "&tlsVerify=false");
    assert(!/"id":/.test(text), text);
    assert(/"error"|"message"/.test(text), text);
  } finally {
    await registry.close();
  }
}

function layered(entries: Entry[]): BuiltImage {
  return buildImage({ layers: [{ entries: [FINE] }, { entries }] });
}

/** An image whose only layer is these bytes. */
function packed(blob: Uint8Array, mediaType: string, diffID: string): BuiltImage {
  const image = buildImage({
    layers: [{ entries: [FINE] }],
    fields: { rootfs: { type: "layers", diff_ids: [diffID] } },
    alterManifest: (manifest: ManifestDocument) => ({
      ...manifest,
      layers: [{ mediaType, digest: sha256(blob), size: blob.length }],
    }),
  });
  image.blobs.set(sha256(blob), blob);
  return image;
}

const TYPE = "application/vnd.oci.image.layer.v1.tar";

export const layers: readonly HostileCase[] = [
  ...Object.entries(REFUSED).map(([what, entries]): HostileCase => ({
    name: `a layer with ${what}`,
    attack: (stage) => refusedPull(stage, layered(entries(stage.canaries))),
  })),
  {
    name: "layers with entries twice: a file, a link of the same name, a file again",
    layers: (stage) => [[
      { type: "file", path: "twice", content: "one" },
      { type: "symlink", path: "twice", target: `${stage.wayOut}/secret` },
      { type: "file", path: "twice", content: "three" },
    ]],
    script: "cat /twice; echo",
    prints: /three|No such file/,
  },
  {
    name: "folders that no entry names, each path as long as one can be",
    attack: async (stage) => {
      const entries = Array.from({ length: isLongRun ? 10 : 2 }, (_, i) => evil(`${i}/${"d/".repeat(1990)}f`));
      const reference = await stage.have("folders", buildImage({ layers: [{ entries }] }));
      await stage.create("victim", { image: reference, command: ["/none"] }, [201, 400]);
      await stage.call("GET", "/libpod/containers/victim/changes");
    },
  },
  {
    name: "a setuid file and a device node of the host's disk, which the container opens",
    layers: () => [[
      { type: "block", path: "disk", major: 8, minor: 0, mode: 0o666 },
      { type: "block", path: "disk2", major: 254, minor: 0, mode: 0o666 },
      { type: "char", path: "memory", major: 1, minor: 1, mode: 0o666 },
    ]],
    script: "for f in /disk /disk2 /memory; do head -c 1 $f >/dev/null 2>&1 && echo opened $f; done; echo tried",
    prints: /^(?![^]*opened)[^]*tried/,
  },
  ...([["gzip", gzipSync], ["zstd", zstdCompressSync]] as const).map(([coding, pack]): HostileCase => ({
    name: `a ${coding} layer that unpacks to a thousand times its size, and is no tar`,
    attack: async (stage) => {
      const blob = new Uint8Array(pack(new Uint8Array(BOMB / 4).fill(65)));
      await refusedPull(stage, packed(blob, `${TYPE}+${coding}`, `sha256:${"0".repeat(64)}`));
    },
  })),
  {
    name: "a layer of zeros, a thousand times its size, whose content is none of the configuration's",
    attack: async (stage) => {
      const head = tarHeader({ name: "zeros", flag: "0", size: 2 ** 28 });
      const tar = new Uint8Array(512 + 2 ** 28 + 1024);
      tar.set(head);
      await refusedPull(stage, packed(new Uint8Array(gzipSync(tar)), `${TYPE}+gzip`, `sha256:${"1".repeat(64)}`));
    },
  },
  {
    name: "more layers than a tree can have",
    attack: async (stage) => {
      const many = Array.from({ length: 600 }, (_, i) => ({ entries: [evil(`f${i}`)], gzip: false }));
      const registry = await startBadRegistry(buildImage({ layers: many }));
      try {
        const reference = `${registry.host}/hostile/image:1`;
        const text = await stage.pull(reference, "&tlsVerify=false");
        if (!/"id":/.test(text)) return;
        const { status } = await stage.create("victim", { image: reference, command: ["true"] }, [201, 400, 500]);
        if (status === 201) await stage.call("POST", "/libpod/containers/victim/start", undefined, [400, 404, 500]);
      } finally {
        await registry.close();
      }
    },
  },
  {
    name: "an index that leads to itself, and one forty deep",
    attack: async (stage) => {
      const box = busyboxImage();
      let image = buildIndex([box]);
      const children = new Map(image.children);
      for (let i = 0; i < 40; i++) {
        const outer = buildIndex([{ ...image, platform: box.platform }]);
        children.set(image.digest, { bytes: image.manifest, mediaType: image.mediaType });
        image = outer;
      }
      await refusedPull(stage, { ...image, children });
    },
  },
  {
    name: "a manifest nested a hundred thousand deep",
    attack: (stage) =>
      refusedPull(stage, busyboxImage(), {
        alterManifest: () => new TextEncoder().encode("[".repeat(100_000) + "]".repeat(100_000)),
      }),
  },
  {
    name: "descriptors with URLs, sizes and digests of their own choice (CVE-2024-3727, CVE-2020-15157)",
    attack: async (stage) => {
      const alter = (change: Record<string, unknown>) =>
        buildImage({
          // A layer that no store has yet.
          layers: [{ entries: [{ type: "file", path: "new", content: JSON.stringify(change) }] }],
          alterManifest: (manifest) => ({
            ...manifest,
            layers: manifest.layers.map((layer) => ({ ...layer, ...change })),
          }),
        });
      for (
        const change of [
          { digest: "sha256:../../../../etc/passwd" },
          { digest: "../../../secret" },
          { digest: "md5:d41d8cd98f00b204e9800998ecf8427e" },
          { digest: "" },
          { size: -1 },
          { size: 2 ** 53 },
          { size: 1 },
          {
            mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
            urls: ["file:///etc/passwd"],
            size: 5,
          },
        ]
      ) await refusedPull(stage, alter(change));
    },
  },
  {
    name: "a manifest that is a manifest and an index at once (CVE-2021-41190)",
    attack: async (stage) => {
      const both = busyboxImage({
        alterManifest: (manifest) => ({ ...manifest, mediaType: undefined, manifests: [] }),
      });
      const registry = await startBadRegistry(both, { manifestType: "application/vnd.oci.image.index.v1+json" });
      try {
        assert(!/"id":/.test(await stage.pull(`${registry.host}/x/y:1`, "&tlsVerify=false")));
      } finally {
        await registry.close();
      }
    },
  },
  {
    name: "archives to load whose members lead out of them",
    attack: async (stage) => {
      const text = (entries: Entry[]) => new TextDecoder("latin1").decode(buildTar(entries));
      const manifest = (config: string, layer: string) =>
        JSON.stringify([{ Config: config, RepoTags: ["x:1"], Layers: [layer] }]);
      const config = JSON.stringify({ rootfs: { type: "layers", diff_ids: [`sha256:${"0".repeat(64)}`] }, config: {} });
      const secret = `${stage.wayOut}/secret`;
      for (
        const entries of [
          [evil("manifest.json")],
          [{ type: "file", path: "manifest.json", content: manifest("../../../../etc/passwd", "/etc/passwd") }],
          [
            { type: "symlink", path: "layer.tar", target: secret },
            { type: "file", path: "config.json", content: config },
            { type: "file", path: "manifest.json", content: manifest("config.json", "layer.tar") },
          ],
          [
            { type: "symlink", path: "layer.tar", target: "layer.tar" },
            { type: "symlink", path: "config.json", target: secret },
            { type: "file", path: "manifest.json", content: manifest("config.json", "layer.tar") },
          ],
          [evil(`${stage.canaries}/new`), evil("../../../../new"), evil("oci-layout"), evil("index.json")],
          [{ type: "file", path: "manifest.json", content: "[".repeat(200_000) }],
          [{ type: "raw", bytes: pad(paxRecord("path", new Uint8Array(100).fill(97))) }],
        ] as Entry[][]
      ) {
        for (const path of ["/libpod/images/load", "/images/load"]) {
          const reply = await stage.server.request("POST", path, {
            raw: text(entries),
            headers: { "content-type": "application/x-tar" },
          });
          const answer = await reply.text();
          assert(reply.status >= 400 || /error/i.test(answer), `${path}: ${reply.status} ${answer}`);
        }
      }
      const { text: images } = await stage.call("GET", "/libpod/images/json", undefined, [200]);
      assertEquals(JSON.parse(images).length, 1);
    },
  },
  {
    name: "files of the host are asked for as archives to load",
    attack: async (stage) => {
      const bad = [
        "/etc/shadow",
        "/proc/self/environ",
        "/dev/zero",
        "/proc/kcore",
        "/sys/kernel",
        "relative",
        "/../etc/passwd",
      ];
      for (const path of bad) {
        const { status, text } = await stage.call("POST", `/libpod/local/images/load?path=${encodeURIComponent(path)}`);
        assert(status >= 400 && !text.includes("root:"), `${path}: ${status} ${text}`);
      }
    },
  },
];
