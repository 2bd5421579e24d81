import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
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

Deno.test("readVolumeOptions() refuses what would be ignored or could not be mounted", () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ colour: "red" }, /^invalid mount option colour for driver 'local': invalid argument$/],
    [{ o: "uid" }, /uid option must provide a UID/],
    [{ o: "gid=4294967295" }, /cannot convert GID 4294967295/],
    [{ o: "uid=-1" }, /cannot convert UID -1/],
    [{ o: "nosuid" }, /need a "type" or a "device"/],
    [{ o: "size=1g,noquota" }, /cannot be used without quota/],
    [{ type: "tmpfs", o: "inodes=5" }, /inodes not supported on tmpfs/],
    [{ o: "size=1g" }, /no project quota/],
    [{ size: "1g" }, /no project quota/],
    [{ INODES: "5" }, /no project quota/],
    [{ type: "tmpfs", device: "tmpfs", size: "1g" }, /option size of a tmpfs .* give it in "o"$/],
    [{ device: "/a\0b" }, /NUL byte/],
    [{ type: "nfs", o: "x".repeat(4096) }, /too long/],
  ];
  for (const [options, text] of refused) {
    const error = assertThrows(() => readVolumeOptions(options), EngineError) as EngineError;
    assertEquals(text.test(error.message), true, `${JSON.stringify(options)}: ${error.message}`);
  }
});
