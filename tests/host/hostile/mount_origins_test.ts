/** Where each mount of a container comes from, and what may be done with it. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import type { Server } from "../../fixtures/server.ts";
import { Session } from "../../fixtures/session.ts";

/** What no container needs of the host's own files. */
const CLOSED = ["nodev", "noexec", "nosuid", "ro"];
/** Devices that the runtime shows where a user namespace forbids to make them. */
const DEVICES = new Set("null zero full tty random urandom".split(" ").map((name) => `/dev/${name}`));

interface Mount {
  device: string;
  /** Which path of its file system is mounted. */
  root: string;
  place: string;
  options: string[];
  type: string;
}

function parseMounts(text: string): Mount[] {
  return text.trim().split("\n").map((line) => {
    const [fields, rest] = line.split(" - ").map((part) => part.split(" "));
    const [, , device, root, place, options] = fields;
    return { device, root, place, options: options.split(","), type: rest[0] };
  });
}

/** The path on the host of what is mounted; `undefined` where the host itself does not have it mounted. */
function originOf({ device, root }: Mount, host: readonly Mount[]): string | undefined {
  const fits = host.filter((mount) =>
    mount.device === device && (mount.root === "/" || mount.root === root || root.startsWith(`${mount.root}/`))
  );
  const from = fits.sort((a, b) => a.root.length - b.root.length).at(-1);
  if (from === undefined) return undefined;
  const below = from.root === "/" ? root : root.slice(from.root.length);
  return `${from.place === "/" ? "" : from.place}${below === "/" ? "" : below}` || "/";
}

interface Sample {
  name: string;
  create: { path: string; body: Record<string, unknown> };
  /** Places that the request names, for what it names. */
  asked: string[];
  /** Places where files of the container's own must be. */
  own: string[];
  privileged?: boolean;
}

async function check(server: Server, { name, create, asked, own, privileged }: Sample): Promise<void> {
  const created = await server.request("POST", create.path, { body: create.body });
  const { Id: id, message, cause } = await created.json();
  assertEquals(created.status, 201, `${message} ${cause}`);
  const started = await server.request("POST", `/containers/${id}/start`);
  assertEquals(started.status, 204, await started.text());
  const pid = ok(await server.podman("inspect", "--format", "{{.State.Pid}}", id)).trim();
  const mounts = parseMounts(await Deno.readTextFile(`/proc/${pid}/mountinfo`));
  const host = parseMounts(await Deno.readTextFile("/proc/self/mountinfo"));
  const places = new Set(mounts.map(({ place }) => place));
  assertEquals([...asked, ...own].filter((place) => !places.has(place)), [], "each is a mount");
  for (const mount of mounts) {
    const { place, options, type } = mount;
    const origin = originOf(mount, host);
    const tells = `${name}: ${place} (${type}) shows ${origin ?? "its own"} with ${options}`;
    const lacks = (wanted: string[]) => wanted.filter((option) => !options.includes(option));
    if (place === "/" || asked.includes(place)) continue;
    // What row 7 is about has a test of its own.
    if (type.startsWith("cgroup") || place.startsWith("/sys/fs/cgroup")) continue;
    // The runtime hides files below /dev/null: the host's, or the container's own.
    if (mount.root === "/null" && (options.includes("ro") || origin === undefined)) continue;
    // crun 1.28 hides folders below an empty one of its own.
    if (origin === `${server.folder}/run/runtime/.empty-directory` && options.includes("ro")) {
      assertEquals([...Deno.readDirSync(origin)], [], tells);
      continue;
    }
    if (origin === undefined || type === "sysfs") {
      // The kernel's, for this container alone. What the runtime hides or closes afterwards is read-only; a device may be
      // in /dev only.
      if (type !== "sysfs" && options.includes("ro")) continue;
      assertEquals(lacks(place === "/dev" || place === "/dev/pts" ? ["nosuid"] : ["nosuid", "nodev"]), [], tells);
      if (type === "sysfs" && !privileged) assert(options.includes("ro"), tells);
      continue;
    }
    if (DEVICES.has(place)) continue;
    const folders = [`${server.folder}/run/bundles/${id}/`, `${server.folder}/root/containers/${id}/`];
    if (folders.some((folder) => origin.startsWith(folder))) {
      // crun 1.8 passes over all options but "ro" of writable binds in a user namespace: what it was told counts there.
      if (name === "users" && !options.includes("ro")) {
        const config = JSON.parse(await Deno.readTextFile(`${folders[0]}config.json`));
        options.push(
          ...config.mounts.find(({ destination }: { destination: string }) => destination === place).options,
        );
      }
      assertEquals(
        lacks(place.startsWith("/run/secrets") || place === "/etc/key" ? CLOSED : CLOSED.slice(0, 3)),
        [],
        tells,
      );
      continue;
    }
    assertEquals(lacks(place === "/run/podman-init" ? ["nodev", "nosuid", "ro"] : CLOSED), [], tells);
  }
  const { HostConfig } = await (await server.request("GET", `/containers/${id}/json`)).json();
  if (privileged) assertEquals([HostConfig.MaskedPaths, HostConfig.ReadonlyPaths], [null, null]);
  else {
    assert(HostConfig.MaskedPaths.includes("/proc/kcore") && HostConfig.ReadonlyPaths.includes("/proc/sys"));
    assert(places.has("/proc/interrupts") && HostConfig.MaskedPaths.includes("/proc/interrupts"));
  }
  ok(await server.podman("rm", "-f", "-t", "0", id));
}

const CASES = [
  { name: "the request", runtime: "crun", containers: "" },
  { name: "containers.conf", runtime: "runc", containers: '[containers]\ntz = "Asia/Tokyo"\n' },
];

for (const { name, runtime, containers } of CASES) {
  Deno.test(`${runtime}: mounts are the container's own, closed or asked for, with a time zone of ${name}`, async () => {
    await using session = await Session.start({ containers, args: [`--runtime=${runtime}`] });
    const { server, image } = session;
    await Deno.chmod(server.folder, 0o711);
    const folder = `${server.folder}/asked`;
    await Deno.mkdir(`${folder}/deep`, { recursive: true });
    ok(await server.podman("pull", "-q", image));
    const file = `${server.folder}/value`;
    await Deno.writeTextFile(file, "hush");
    ok(await server.podman("secret", "create", "token", file));
    const artifact = "localhost/model:1";
    const added = await server.request("POST", `/libpod/artifacts/add?name=${artifact}&fileName=w`, { raw: "weights" });
    assertEquals(added.status, 201);
    ok(
      await server.podman("run", "-d", "--name", "lends", "--ipc=shareable", "--network=none", image, "sleep", "1000"),
    );
    const zone = containers === "" ? { timezone: "Asia/Tokyo" } : {};
    const ids = [{ container_id: 0, host_id: 200000, size: 65536 }];
    const native = {
      image,
      command: ["sleep", "1000"],
      ...zone,
      init: true,
      user: "4711:4712",
      netns: { nsmode: "none" },
      hostadd: ["box:10.0.0.1"],
      secrets: [{ Source: "token" }, { Source: "token", Target: "/etc/key" }],
      artifact_volumes: [{ source: artifact, destination: "/model" }],
      image_volumes: [{ Source: image, Destination: "/image", ReadWrite: true }],
      volumes: [{ Name: "kept", Dest: "/kept" }],
      mounts: [{ type: "bind", source: folder, destination: "/asked", options: ["rbind"] }],
      overlay_volumes: [{ source: folder, destination: "/over" }],
      chroot_directories: ["/chroot"],
    };
    const own = ["/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/run/.containerenv", "/etc/localtime"];
    const further = ["/etc/passwd", "/etc/group", "/run/podman-init", "/run/secrets", "/etc/key", "/model"];
    const lent = { ipcns: { nsmode: "container", value: "lends" } };
    const users = { userns: { nsmode: "private" }, idmappings: { UIDMap: ids, GIDMap: ids } };
    const samples = {
      plain: {},
      privileged: { privileged: true },
      lent,
      ...runtime === "crun" && { users },
      systemd: { systemd: "always" },
      readOnly: { read_only_filesystem: true },
    };
    // runc 1.1 joins no user namespace by its path.
    for (const [variant, options] of Object.entries(samples)) {
      const privileged = variant === "privileged";
      const asked = ["/kept", "/asked", "/image", "/over", ...variant === "lent" ? ["/dev/shm"] : []];
      const create = { path: "/libpod/containers/create", body: { ...native, ...options } };
      // systemd itself has to be the first process.
      if (variant === "systemd") create.body.init = false;
      const places = variant === "systemd" ? further.filter((place) => place !== "/run/podman-init") : further;
      await check(server, { name: variant, create, asked, own: [...own, ...places], privileged });
    }
    for (const Privileged of [false, true]) {
      const HostConfig = {
        Privileged,
        Init: true,
        NetworkMode: "none",
        ExtraHosts: ["box:10.0.0.1"],
        Binds: [`${folder}:/asked`, "kept:/kept"],
        Mounts: [
          { Type: "image", Source: image, Target: "/image" },
          { Type: "volume", Source: "kept", Target: "/part", VolumeOptions: { Subpath: "." } },
        ],
        Tmpfs: { "/scratch": "" },
      };
      const body = { Image: image, Cmd: ["sleep", "1000"], User: "4711:4712", HostConfig };
      const asked = ["/kept", "/asked", "/image", "/part"];
      const zoned = containers === "" ? own.filter((place) => place !== "/etc/localtime") : own;
      await check(server, {
        name: Privileged ? "Docker's, privileged" : "Docker's",
        create: { path: "/containers/create", body },
        asked,
        own: [...zoned, "/etc/passwd", "/etc/group", "/run/podman-init", "/scratch"],
        privileged: Privileged,
      });
    }
  });
}

Deno.test("a container with a time zone cannot change the host's file of it, and sees the zone's time", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const zone = "/usr/share/zoneinfo/Asia/Tokyo";
  const before = await Deno.stat(zone);
  const bytes = await Deno.readFile(zone);
  const spoil = "chmod 4755 /etc/localtime; echo spoiled > /etc/localtime; wc -c < /etc/localtime";
  const run = ["run", "--rm", "--network=none", "--tz", "Asia/Tokyo", image, "sh", "-c"];
  const spoiled = await server.podman(...run, spoil);
  try {
    assertEquals(spoiled.stdout.trim(), "8", "its own copy is the container's");
    const after = await Deno.stat(zone);
    assertEquals([after.mode, after.size, after.mtime], [before.mode, before.size, before.mtime]);
  } finally {
    // A server that fails this test has spoiled a file that this machine needs.
    await Deno.chmod(zone, 0o644);
    if ((await Deno.stat(zone)).size !== before.size) await Deno.writeFile(zone, bytes);
  }
  const offset = ok(await server.podman(...run, "date -d '2026-07-01 12:00' +%z")).trim();
  assertEquals(offset, "+0900");
  for (const bad of ["../../../etc/passwd", "/etc/passwd", "Asia", "localtime/..", "no/such"]) {
    const refused = await server.podman("create", "--network=none", `--tz=${bad}`, image);
    assert(refused.code !== 0 && refused.stderr.includes("timezone"), `${bad}: ${refused.stderr}`);
  }
});
