import { assert, assertEquals, assertRejects } from "@std/assert";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import { tarEntries, type TarFile, tarStream } from "../../../lib/oci/tar/tar_entries.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { isLongRun } from "../../long_run.ts";

const LIMITS = { entries: 100, bytes: 1 << 20 };
const RUNS = isLongRun ? 20_000 : 500;

function stream(bytes: Uint8Array, piece: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += piece));
    },
  });
}

/** Everything an archive holds, as lines. */
async function listed(bytes: Uint8Array, piece = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const { path, kind, link, size, content } of tarEntries(stream(bytes, piece), LIMITS)) {
    const text = kind === "file" && size < 100 ? await new Response(content()).text() : size;
    lines.push([kind, path, link, text].filter((part) => part !== "").join(" "));
  }
  return lines;
}

// podman-py archives a build's folder so.
Deno.test("tarEntries() takes a slash alone for the root, and no other absolute path", async () => {
  const root = { type: "dir", path: "/" } as const;
  assertEquals(await listed(buildTar([root, { type: "file", path: "a", content: "x" }])), ["folder 0", "file a x"]);
  await assertRejects(
    () => listed(buildTar([{ type: "file", path: "//a", content: "x" }])),
    LayerError,
    "absolute path",
  );
});

Deno.test("tarEntries() reads entries of every kind, with long names, however the bytes come", async () => {
  const long = `${"folder/".repeat(30)}name`;
  for (const format of ["pax", "gnu"] as const) {
    const bytes = buildTar([
      { type: "dir", path: "./a" },
      { type: "file", path: "a/b", content: "hello" },
      { type: "symlink", path: "l", target: "../x" },
      { type: "hardlink", path: "h", target: "a/b" },
      { type: "file", path: long, content: "far" },
      { type: "symlink", path: "far", target: long },
      { type: "file", path: "big", content: new Uint8Array(5000) },
      { type: "fifo", path: "p" },
    ], format);
    const expected = ["folder a 0", "file a/b hello", "symlink l ../x 0", "hardlink h a/b 0", `file ${long} far`];
    const all = [...expected, `symlink far ${long} 0`, "file big 5000", "other p 0"];
    for (const piece of [1, 7, 512, 100_000]) assertEquals(await listed(bytes, piece), all, `${format} ${piece}`);
  }
});

Deno.test("tarStream() writes what tarEntries() reads, and refuses content of another size", async () => {
  const file = (path: string, text: string, size = text.length): TarFile => {
    return { path, size, content: new TextEncoder().encode(text) };
  };
  const bytesOf = async (files: TarFile[]) => {
    return new Uint8Array(
      await new Response(tarStream((async function* () {
        yield* files;
      })())).arrayBuffer(),
    );
  };
  const bytes = await bytesOf([file("folder/", ""), file("folder/a", "hello"), file("b", "")]);
  assertEquals(await listed(bytes), ["folder folder 0", "file folder/a hello", "file b"]);
  assertEquals(bytes.length % 512, 0);
  for (const size of [4, 6]) {
    const error = await bytesOf([file("a", "hello", size)]).catch((error) => error);
    assert(error instanceof LayerError && error.message.includes("announced"), String(error));
  }
});

Deno.test("tarEntries() ends with a LayerError, or well, on whatever it is given", async () => {
  // A Lehmer generator: the same run every time.
  let random = 11;
  const below = (limit: number) => Math.floor(((random = (random * 48271) % 2147483647) / 2147483647) * limit);
  const good = buildTar([
    { type: "file", path: "a", content: "hello" },
    { type: "file", path: "x".repeat(150), content: new Uint8Array(700), pax: { mtime: "1.5" } },
    { type: "symlink", path: "l", target: "t" },
  ]);
  for (let run = 0; run < RUNS; run++) {
    const bytes = good.slice(0, below(4) === 0 ? below(good.length) : good.length);
    for (let i = below(6); i > 0 && bytes.length > 0; i--) bytes[below(bytes.length)] = below(256);
    try {
      await listed(bytes, 1 + below(2000));
    } catch (error) {
      assert(error instanceof LayerError, `run ${run}: ${error}`);
    }
  }
});

Deno.test("tarEntries() takes an archive that ends behind its last entry where it may, and no other that is cut", async () => {
  const whole = buildTar([{ type: "file", path: "a", content: "hello" }, {
    type: "file",
    path: "b",
    content: "there",
  }]);
  const names = async (length: number, mayEndShort: boolean) => {
    const found: string[] = [];
    try {
      for await (const { path } of tarEntries(stream(whole.subarray(0, length), 100), { ...LIMITS, mayEndShort })) {
        found.push(path);
      }
    } catch (error) {
      if (!(error instanceof LayerError)) throw error;
      found.push(error.code);
    }
    return found.join();
  };
  // Two headers, and a block for the content of each.
  const [padded, content] = [4 * 512, 3 * 512 + 5];
  assertEquals([await names(padded, true), await names(content, true)], ["a,b", "a,b"]);
  assertEquals([await names(padded, false), await names(content, false)], ["a,b,corrupt", "a,b,corrupt"]);
  for (const cut of [0, 100, 512 + 3, 2 * 512 + 100, content - 1, content + 1]) {
    assertEquals((await names(cut, true)).split(",").at(-1), "corrupt", `${cut} bytes`);
  }
});
