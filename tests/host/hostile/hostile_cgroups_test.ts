/** Containers whose software is systemd, by their own word, and what they try with the control groups they get for it. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok } from "../../fixtures/run.ts";
import { readCgroupLayout } from "../../../lib/platform/linux/resources/cgroups.ts";
import { Session } from "../../fixtures/session.ts";

const layout = await readCgroupLayout();
/** What a container would lift. */
const LIMITS = [
  ["memory", "memory.limit_in_bytes", "-1"],
  ["pids", "pids.max", "max"],
  ["devices", "devices.allow", "a"],
];
const INIT = "#!/bin/sh\nexec sleep 600\n";
/**
 * Names every file of control groups that opens for writing, outside the hierarchy that is systemd's own. Nothing is written:
 * where this test fails, the files are those of the host.
 */
const WRITABLE = "for f in $(find /sys/fs/cgroup -type f | grep -v ^/sys/fs/cgroup/systemd/); do " +
  "(: >> $f) 2>/dev/null && echo $f; done; true";
/** A folder in a folder, 200 times: a path far longer than any system call takes. */
const NEST =
  "cd /sys/fs/cgroup/systemd; i=0; while [ $i -lt 200 ]; do mkdir group-of-containers-some-length && cd -P group-of-containers-some-length || exit 1; i=$((i+1)); done";

Deno.test({
  name: "a container that calls its software systemd writes to no controller, and its groups go with it",
  ignore: layout.kind === "unified",
}, async (t) => {
  await using session = await Session.shared();
  const { server, registry } = session;
  const image = `${registry.host}/hostile/init:latest`;
  const entries = [
    { type: "whiteout" as const, path: "sbin/init" },
    { type: "file" as const, path: "sbin/init", content: INIT, mode: 0o755 },
  ];
  await pushImage(
    registry.url,
    "hostile/init:latest",
    busyboxImage({ layers: [{ gzip: true, entries }], config: { Cmd: ["/sbin/init"] } }),
  );
  ok(await server.podman("pull", "-q", "--tls-verify=false", image));
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const victim = await podman("run", "-d", "--network=none", "--pids-limit=77", image, "sleep", "600");
  for (const runtime of ["crun", "runc"]) {
    for (const nsmode of ["private", "host"]) {
      await t.step(`with ${runtime} and ${nsmode} control groups`, async () => {
        const body = {
          image,
          oci_runtime: runtime,
          cgroupns: { nsmode },
          netns: { nsmode: "none" },
          resource_limits: { pids: { limit: 50 }, memory: { limit: 64 * 1024 * 1024 } },
        };
        const created = await server.request("POST", "/libpod/containers/create", { body });
        assertEquals(created.status, 201, await created.clone().text());
        const { Id: id } = await created.json();
        ok(await server.podman("start", id));
        const exec = (script: string) => server.podman("exec", id, "sh", "-c", script);
        const hosts = (controller: string, of: string, file: string) => {
          return Deno.readTextFileSync(groupOf(controller, of) + file).trim();
        };
        const before = hosts("devices", id, "/devices.list");
        assertEquals(ok(await exec(WRITABLE)), "");
        // What is seen from a namespace of its own is the container's own.
        for (const [controller, file, value] of nsmode === "private" ? LIMITS : []) {
          const tried = await exec(`echo ${value} > /sys/fs/cgroup/${controller}/${file}`);
          assertMatch(tried.stderr, /Read-only file system/, controller);
        }
        assertEquals(hosts("memory", id, "/memory.limit_in_bytes"), String(64 * 1024 * 1024));
        assertEquals(hosts("pids", id, "/pids.max"), "50");
        assertEquals(hosts("devices", id, "/devices.list"), before);
        assertEquals(hosts("pids", victim, "/pids.max"), "77");
        assertEquals((await exec(`find /sys/fs/cgroup/systemd -name '${victim}*' -o -name release_agent`)).stdout, "");
        const mounts = ok(await exec("grep -E ' - (cgroup|cgroup2) ' /proc/self/mountinfo")).trim().split("\n");
        for (const line of mounts) {
          const [, , , , place, options] = line.split(" ");
          const given = new Set(options.split(","));
          for (const option of ["nosuid", "nodev", "noexec"]) assert(given.has(option), line);
          // Hidden by the one that lies on top of it, a read-only one may be at the same place.
          if (place !== "/sys/fs/cgroup/systemd") assert(given.has("ro"), line);
        }
        ok(await exec("mkdir /sys/fs/cgroup/systemd/own && echo $$ > /sys/fs/cgroup/systemd/own/cgroup.procs"));
        ok(await exec(NEST));
        assertNotEquals(groupOf("systemd", id), "");
        await podman("rm", "-f", "-t", "0", id);
        assertEquals(layout.mounts.map((mount) => groupOf(mount.split("/").at(-1)!, id)).join(""), "");
      });
    }
  }
  await podman("rm", "-f", "-t", "0", victim);
});

/** Where a container's group of a hierarchy is; an empty text where there is none. */
function groupOf(controller: string, id: string): string {
  const root = `/sys/fs/cgroup/${controller}`;
  for (const { name } of Deno.readDirSync(root)) {
    const path = `${root}/${name}/${id}`;
    if (name.startsWith("gantry-") && Deno.lstatSync(root).isDirectory && exists(path)) return path;
  }
  return "";
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}
