import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { checkMountOptions } from "../../../../lib/engine/containers/create/mount_options.ts";
import { resolveMounts, volumesOf } from "../../../../lib/engine/containers/create/mounts.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { checkName, MAX_FOLDER_NAME } from "../../../../lib/engine/text/names.ts";
import type { MountSpec } from "../../../../lib/engine/records/mount_spec.ts";
import type { ExecutionConfig } from "../../../../lib/oci/image_config.ts";
import { IMAGE, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";

const volumes = (...paths: string[]) => ({ Volumes: Object.fromEntries(paths.map((path) => [path, {}])) });

Deno.test("resolveMounts() gives an image no volume in place of what the kernel shows", () => {
  const image = volumes("/", "/proc", "/sys/fs/cgroup/", "/data/../dev/shm", "/device", "/data", "//dev", "/proc/1\n");
  const mounts = resolveMounts([], image, () => "fresh");
  assertEquals(mounts.map(({ destination }) => destination), ["/device", "/data"]);
  const asked = [{ type: "volume" as const, source: "own", destination: "/dev/shm", options: [] }];
  assertEquals(resolveMounts(asked, image, () => "fresh").length, 3);
});

Deno.test("resolveMounts() lets nothing that a container has written stand for the kernel's own", () => {
  const one = (type: "bind" | "overlay" | "volume" | "image" | "tmpfs", destination: string) => {
    const source = type === "bind" || type === "overlay" ? "/dev" : "own";
    const place = { source, destination, options: [] };
    const mount = type === "image" ? { ...place, type, image: { id: "", diffIDs: [] } } : { ...place, type };
    return resolveMounts([mount], {}, () => "fresh");
  };
  const places = ["/dev", "/dev/", "/x/../dev", "/dev/pts", "/dev/null", "/dev/console", "/proc", "/proc/self/attr"];
  for (const place of places) {
    for (const type of ["volume", "image", "overlay"] as const) {
      assertThrows(() => one(type, place), EngineError, "only the host's own may be there");
    }
    assertEquals(one("bind", place).length, 1);
    assertEquals(one("tmpfs", place).length, 1);
  }
  for (const place of ["/dev/shm", "/device", "/process", "/srv/dev"]) assertEquals(one("volume", place).length, 1);
  // What other containers mount is no better.
  const inherited = [{ type: "volume" as const, source: "own", destination: "/dev", options: [] }];
  assertThrows(() => resolveMounts([], {}, () => "fresh", { inherited }), EngineError, "only the host's own");
});

Deno.test("resolveMounts() keeps a destination's last slash for those who look, as Podman does", () => {
  const mount = { type: "tmpfs" as const, source: "tmpfs", destination: "/a/", options: [] };
  const [{ destination, shown }] = resolveMounts([mount], {}, () => "fresh");
  assertEquals([destination, shown], ["/a", "/a/"]);
  assertThrows(() => resolveMounts([mount, { ...mount, destination: "/a" }], {}, () => "fresh"), Error, "duplicate");
  assertEquals(resolveMounts([{ ...mount, destination: "/b/../a" }], {}, () => "fresh")[0].shown, undefined);
});

Deno.test("resolveMounts() bounds what an image asks for", () => {
  const image = volumes(...Array.from({ length: 5000 }, (_, i) => `/v${i}`));
  assertThrows(() => resolveMounts([], image, () => "fresh"), Error, "more than 1000 mounts");
});

Deno.test("resolveMounts() refuses a part of a volume that is not in it", () => {
  const mount = { type: "volume" as const, source: "own", destination: "/data", options: [] };
  const one = (subPath: string) => volumesOf(resolveMounts([{ ...mount, subPath }], {}, () => "fresh"));
  assertEquals(one("a/b")[0].subPath, "a/b");
  assertEquals(one("a..b")[0].subPath, "a..b");
  for (const out of ["..", "../..", "a/../.."]) assertThrows(() => one(out), EngineError, "must be a path within");
});

Deno.test("checkName() bounds what becomes a folder's name", () => {
  checkName("v".repeat(255), MAX_FOLDER_NAME);
  assertThrows(() => checkName("v".repeat(256), MAX_FOLDER_NAME), Error, "names must match");
});

Deno.test("Containers.create() refuses what no kernel takes, whoever asks for it", async () => {
  const rows: [Partial<ContainerSpec>, ExecutionConfig, string][] = [
    [{ workdir: "/a\0b" }, {}, "working directory"],
    [{}, { WorkingDir: `/${"a/".repeat(4000)}` }, "working directory"],
    [{}, { Volumes: { "/a\0b": {} } }, "volume of the image"],
    [
      { mounts: [{ type: "volume", source: "v", destination: `/${"a/".repeat(4000)}`, options: [] }] },
      {},
      "path of a mount",
    ],
    [{ hostname: "a\nb" }, {}, "invalid hostname"],
    [{ hostname: "h".repeat(65) }, {}, "invalid hostname"],
    [{ dnsServers: ["192.0.2.1\nsearch evil"] }, {}, "invalid DNS setting"],
    [{ stopSignal: 9999 }, {}, "invalid stop signal"],
    [{ publishImagePorts: true }, { ExposedPorts: { "1-65535/tcp": {} } }, "more than 1024 exposed ports"],
  ];
  for (const [options, config, text] of rows) {
    await using engine = await openFake({
      image: { ...IMAGE, config: { ...IMAGE.config, config: { Cmd: ["true"], ...config } } },
    });
    await assertRejects(() => engine.containers.create(spec(options)), EngineError, text);
    assertEquals(engine.containers.list({ all: true }), []);
  }
});

Deno.test("checkMountOptions() refuses what a mount cannot have, in Podman's words", () => {
  checkMountOptions({ type: "bind", options: ["ro", "nosuid", "rslave", "U", "idmap=uids=0-1-1", "no-dereference"] });
  checkMountOptions({ type: "tmpfs", options: ["size=1m", "mode=700", "noatime", "tmpcopyup", "uid=3"] });
  checkMountOptions({ type: "devpts", options: ["newinstance", "ptmxmode=0666", "gid=5"] });
  checkMountOptions({ type: "overlay", options: ["upperdir=/u", "workdir=/w"] });
  const rows: [MountSpec["type"], string[], string][] = [
    ["bind", ["noatime"], "the 'noatime' option is only allowed with tmpfs mounts: invalid mount option"],
    ["bind", ["size=1m"], "the 'size' option is only allowed with tmpfs"],
    ["tmpfs", ["size=big"], 'invalid value "big" of mount option "size": invalid mount option'],
    ["tmpfs", ["mode=9"], 'invalid value "9" of mount option "mode"'],
    ["bind", ["odd"], 'unknown mount option "odd": invalid mount option'],
    ["bind", ["shared", "rslave"], "can only specify one root propagation option"],
    ["volume", ["ro", "rw"], "can only specify one of 'ro' and 'rw'"],
  ];
  for (const [type, options, text] of rows) {
    assertThrows(() => checkMountOptions({ type, options }), EngineError, text);
  }
});
