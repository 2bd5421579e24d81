import { assert, assertEquals, assertRejects } from "@std/assert";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../lib/engine/errors.ts";
import { openCheckpoints } from "../../../lib/platform/linux/checkpoints/checkpoints.ts";
import { reasonsOf } from "../../../lib/platform/linux/checkpoints/criu.ts";
import { readCRIUStats } from "../../../lib/platform/linux/checkpoints/criu_stats.ts";
import { type HostPaths, hostPaths } from "../../../lib/platform/linux/helpers/paths.ts";
import { run, runOk } from "../../fixtures/run.ts";

async function opened(work: (paths: HostPaths, ports: Awaited<ReturnType<typeof openCheckpoints>>) => Promise<void>) {
  const root = await mkdtemp(join(tmpdir(), "gantry-checkpoints-"));
  try {
    const paths = hostPaths(root, join(root, "run"));
    const runner = {
      runtime: () => Promise.resolve({ name: "runc", path: "/bin/true", version: "" }),
      run: () => Promise.reject(new EngineError("internal", "runc: criu failed: OCI runtime error")),
    };
    await work(paths, await openCheckpoints({ paths, runtime: "auto", log: () => {} }, runner));
  } finally {
    await rm(root, { recursive: true });
  }
}

Deno.test("Checkpoints packs what there is, and takes such an archive in for another container", async () => {
  await opened(async (paths, checkpoints) => {
    await checkpoints.write("one", "config.dump", "{}");
    await checkpoints.write("one", "checkpoint/inventory.img", "x");
    await mkdir(join(paths.volumes, "data/_data"), { recursive: true });
    await writeFile(join(paths.volumes, "data/_data/file"), "content");
    await checkpoints.saveVolume("one", "data");
    const archive = await checkpoints.pack("one", ["config.dump", "missing", "checkpoint", "volumes"]);
    assertEquals(existsSync(join(paths.containers, "one/criu/export.tar")), false, "an archive that is read is gone");
    await mkdir(join(paths.containers, "two"));
    {
      await using received = await checkpoints.receive(archive);
      assertEquals([await received.text("config.dump"), await received.text("nope")], ["{}", undefined]);
      await received.adopt("two");
    }
    assertEquals([await checkpoints.exists("two"), await checkpoints.exists("three")], [true, false]);
    await rm(join(paths.volumes, "data/_data/file"));
    await checkpoints.loadVolume("two", "data");
    assertEquals(await readFile(join(paths.volumes, "data/_data/file"), "utf8"), "content");
    await checkpoints.remove("two");
    assertEquals(await checkpoints.exists("two"), false);
  });
});

Deno.test("Checkpoints.receive() refuses links, and what is no archive; nothing of it stays", async () => {
  await opened(async (paths, checkpoints) => {
    const folder = join(paths.root, "hostile");
    await mkdir(join(folder, "checkpoint"), { recursive: true });
    await symlink("/etc/passwd", join(folder, "config.dump"));
    await runOk(["tar", "-cf", join(paths.root, "links.tar"), "-C", folder, "."]);
    const stream = async (path: string) => new Response(new Uint8Array(await readFile(path))).body!;
    const links = await stream(join(paths.root, "links.tar"));
    await assertRejects(() => checkpoints.receive(links), EngineError, "not a plain file");
    await rm(join(folder, "config.dump"));
    await symlink("../pre-checkpoint", join(folder, "checkpoint/parent"));
    await runOk(["tar", "-cf", join(paths.root, "parent.tar"), "-C", folder, "."]);
    const parent = await checkpoints.receive(await stream(join(paths.root, "parent.tar")));
    await parent[Symbol.asyncDispose]();
    const error = await assertRejects(
      () => checkpoints.receive(new Response("nothing of the kind").body!),
      EngineError,
    );
    assertEquals((error as EngineError).code, "invalid");
    const left = (await run(["find", join(paths.root, "imports"), "-mindepth", "1"])).stdout;
    assertEquals(left, "");
  });
});

Deno.test("Checkpoints.dump() tells what CRIU's log says", async () => {
  await opened(async (paths, checkpoints) => {
    const options = {
      leaveRunning: false,
      tcpEstablished: false,
      fileLocks: false,
      preCheckpoint: false,
      withPrevious: false,
    };
    await assertRejects(() => checkpoints.dump("one", options), EngineError, "runc: criu failed");
    assertEquals(existsSync(join(paths.containers, "one/criu/checkpoint")), false);
  });
  const log =
    "(00.01) Warn  (criu/a.c:1): fine\n(00.02) Error (criu/b.c:2): first\n(00.03)     42: Error (criu/c.c:3): next\n";
  assertEquals(reasonsOf(log), "first; next");
  assertEquals(reasonsOf("no log at all"), "");
});

Deno.test("readCRIUStats() reads both kinds, and nothing of what is none", () => {
  const image = (...entry: number[]) => {
    const head = new DataView(new ArrayBuffer(12));
    head.setUint32(0, 0x55105940, true);
    head.setUint32(4, 0x57093306, true);
    head.setUint32(8, entry.length, true);
    return new Uint8Array([...new Uint8Array(head.buffer), ...entry]);
  };
  const { dump } = readCRIUStats(image(0x0a, 5, 0x08, 0x96, 0x01, 0x38, 3));
  assertEquals([dump?.freezingTime, dump?.pagesWritten, dump?.frozenTime], [150, 3, 0]);
  const { restore } = readCRIUStats(image(0x12, 4, 0x20, 9, 0x28, 7));
  assertEquals([restore?.restoreTime, restore?.pagesRestored], [9, 7]);
  assertEquals(readCRIUStats(new Uint8Array(40)), {});
  assert(readCRIUStats(image(0x0a, 200, 0x08)) !== undefined, "an image that was cut off");
});
