import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { TreeLimit } from "../../../lib/engine/records/limits.ts";
import { readVolumeOptions } from "../../../lib/engine/volumes/volume_options.ts";

Deno.test("readVolumeOptions() tells a device from an owner, and shows both as Podman does", () => {
  assertEquals(readVolumeOptions({}), { shown: {} });
  assertEquals(readVolumeOptions({ type: "tmpfs", o: "nodev,size=1m,uid=7" }), {
    shown: { type: "tmpfs", o: "nodev,size=1m,uid=7", SIZE: "1m", UID: "7" },
    device: { type: "tmpfs", source: "tmpfs", options: "nodev,size=1m,uid=7" },
    uid: 7,
  });
  assertEquals(readVolumeOptions({ type: "none", o: "bind", device: "/srv" }), {
    shown: { type: "none", o: "bind", device: "/srv" },
    device: { type: "none", source: "/srv", options: "bind" },
  });
  assertEquals(readVolumeOptions({ o: "uid=1000,gid=0" }), {
    shown: { UID: "1000", GID: "0", o: "uid=1000,gid=0" },
    uid: 1000,
    gid: 0,
  });
  assertEquals(readVolumeOptions({ o: "noquota,timeout=5" }), { shown: { NOQUOTA: "true" } });
});

Deno.test("readVolumeOptions() reads limits: in thousands within o, as Podman, and in 1024 alone, as Docker", () => {
  const rows: [Record<string, string>, TreeLimit | undefined][] = [
    [{ o: "size=10m" }, { size: 10_000_000 }],
    [{ o: "size=1.5KB,inodes=7" }, { size: 1500, inodes: 7 }],
    [{ size: "10m" }, { size: 10 * 1024 * 1024 }],
    [{ SIZE: "1GiB", inodes: "3" }, { size: 2 ** 30, inodes: 3 }],
    [{ o: "size=0,inodes=0" }, undefined],
    [{ size: "" }, undefined],
    [{ type: "tmpfs", o: "size=10m" }, undefined],
  ];
  for (const [options, limit] of rows) assertEquals(readVolumeOptions(options).limit, limit, JSON.stringify(options));
  assertEquals(readVolumeOptions({ o: "size=10m" }).shown, { o: "size=10m", SIZE: "10m" });
});

Deno.test("readVolumeOptions() refuses what would be ignored or could not be mounted", () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ colour: "red" }, /^invalid mount option colour for driver 'local': invalid argument$/],
    [{ o: "uid" }, /uid option must provide a UID/],
    [{ o: "gid=4294967295" }, /cannot convert GID 4294967295/],
    [{ o: "uid=-1" }, /cannot convert UID -1/],
    [{ o: "nosuid" }, /need a "type" or a "device"/],
    [{ o: "size=1g,noquota" }, /cannot be used without quota/],
    [{ type: "tmpfs", o: "inodes=5" }, /inodes not supported on tmpfs/],
    [{ o: "size=much" }, /^invalid size: 'much'$/],
    [{ size: "-1" }, /^invalid size: '-1'$/],
    [{ INODES: "5.5" }, /^cannot convert inodes 5.5 to integer$/],
    [{ type: "nfs", device: "host:/", o: "size=1g" }, /not supported: a device has its own size$/],
    [{ type: "tmpfs", device: "tmpfs", size: "1g" }, /option size of a tmpfs .* give it in "o"$/],
    [{ device: "/a\0b" }, /NUL byte/],
    [{ type: "nfs", o: "x".repeat(4096) }, /too long/],
  ];
  for (const [options, text] of refused) {
    const error = assertThrows(() => readVolumeOptions(options), EngineError) as EngineError;
    assertEquals(text.test(error.message), true, `${JSON.stringify(options)}: ${error.message}`);
  }
});
