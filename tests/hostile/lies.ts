/** Images whose files and configuration lie. */
import { assert, assertEquals } from "@std/assert";
import { busyboxImage } from "../fixtures/images/image_builder.ts";
import type { Entry } from "../fixtures/images/tar_builder.ts";
import type { HostileCase } from "./corpus.ts";
import { SECRET, VARIABLE } from "./host_digest.ts";
import type { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

const instead = (...entries: (Entry & { path: string })[]): (readonly Entry[])[] => [
  entries.map(({ path }) => ({ type: "whiteout", path })),
  entries,
];
const ROOT = "root:x:0:0:root:/root:/bin/sh\n";
const WHO = 'echo "I am $(id -u) $(id -g)"';
const HISTORY = isLongRun ? 1_000_000 : 10_000;

/** Creates with each spec; whatever is answered is no failure of the server's. */
async function tryAll(stage: Stage, specs: readonly Record<string, unknown>[], text: (text: string) => void) {
  for (const spec of specs) {
    const { status } = await stage.create("victim", { command: ["sh", "-c", WHO], ...spec }, [201, 400, 404, 500]);
    if (status !== 201) continue;
    const started = await stage.call("POST", "/libpod/containers/victim/start", undefined, [204, 400, 404, 500]);
    if (started.status === 204) {
      await stage.call("POST", "/libpod/containers/victim/wait", undefined, [200]);
      text((await stage.call("GET", "/libpod/containers/victim/logs?stdout=true&stderr=true")).text);
    }
    await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
  }
}

export const lies: readonly HostileCase[] = [
  {
    name: "an account named by digits is root (CVE-2016-3697)",
    layers: () => [[
      { type: "file", path: "etc/passwd", content: `${ROOT}1000:x:0:0::/:/bin/sh\n` },
      { type: "file", path: "etc/group", content: "root:x:0:\n1000:x:0:\n" },
    ]],
    script: `${WHO}; exec sleep 1000`,
    spec: { user: "1000:1000" },
    ready: "I am 1000 1000",
    attack: async (stage) => {
      const text = await stage.exec("target", WHO, { User: "1000:1000" });
      assert(text.includes("I am 1000 1000"), text);
    },
  },
  {
    name: "an image's user is digits that its accounts say are root (CVE-2016-3697)",
    layers: () => [[{ type: "file", path: "etc/passwd", content: `${ROOT}1000:x:0:0::/:/bin/sh\n` }]],
    config: { User: "1000" },
    script: WHO,
    prints: /I am 1000 /,
  },
  {
    name: "accounts with lines of ten megabytes, numbers past all bounds, and bytes that are no text",
    layers: () => {
      const lines = `${
        "x".repeat(10_000_000)
      }:x:0:0::/:/bin/sh\nbig:x:99999999999999999999:0::/:/bin/sh\nminus:x:-1:-1::/:\nempty:x:::/:\n\x00\xff:x:0:0::/:\n`;
      return [[
        { type: "file", path: "etc/passwd", content: ROOT + lines },
        { type: "file", path: "etc/group", content: `root:x:0:\nmany:x:7:${"root,".repeat(500_000)}\n` },
      ]];
    },
    attack: (stage, image) =>
      tryAll(
        stage,
        ["big", "minus", "empty", "root:many", "0", "4294967295", "-1", "1e3"].map((user) => ({ image, user })),
        (text) => {
          assert(!text.includes("4294967295"), text);
        },
      ),
  },
  {
    name: "accounts are links to the host's",
    layers: (stage) =>
      instead(
        { type: "symlink", path: "etc/passwd", target: `${stage.wayOut}/passwd` },
        { type: "symlink", path: "etc/group", target: `${stage.wayOut}/group` },
      ),
    attack: (stage, image) =>
      tryAll(
        stage,
        ["escaped", "1", "0:users"].map((user) => ({ image, user })),
        (text) => assert(!text.includes("4242"), text),
      ),
  },
  {
    name: "files that the engine or the runtime writes are links out of the tree",
    layers: (stage) =>
      instead(
        ...[
          "etc/hosts",
          "etc/hostname",
          "etc/resolv.conf",
          "etc/mtab",
          "etc/localtime",
          "run/.containerenv",
          ".dockerenv",
        ]
          .map((path): Entry & { path: string } => ({
            type: "symlink",
            path,
            target: `${stage.wayOut}/${path.split("/").at(-1)}`,
          })),
      ),
    attack: (stage, image) =>
      tryAll(stage, [
        { image, netns: { nsmode: "bridge" } },
        { image, timezone: "Europe/Berlin" },
        { image, volumes: [{ Name: "kept-hosts", Dest: "/etc/localtime" }] },
        { image, systemd: "always" },
        { image, read_only_filesystem: true },
        { image, privileged: true },
      ], () => {}),
  },
  {
    name: "places of mounts are links out of the tree",
    layers: (stage) =>
      instead({ type: "symlink", path: "mnt", target: stage.wayOut }, {
        type: "symlink",
        path: "var",
        target: "/proc/1/root",
      }),
    attack: (stage, image) =>
      tryAll(
        stage,
        ["/mnt/folder", "/mnt/new/deep", "/mnt", "/var/tmp", "/var/../mnt/x"].flatMap((place) => [
          { image, volumes: [{ Name: "kept-links", Dest: place }], command: ["sh", "-c", `echo x > ${place}/new`] },
          { image, mounts: [{ type: "tmpfs", destination: place, source: "tmpfs" }] },
          { image, work_dir: place },
        ]),
        (text) => assert(!text.includes(SECRET), text),
      ),
  },
  {
    name: "volumes of the image begin in links out of the tree",
    layers: (stage) => instead({ type: "symlink", path: "data", target: stage.wayOut }),
    config: { Volumes: { "/data": {}, "/data/../data": {}, "/proc/x": {}, "/..": {}, "/dev": {} } },
    script: "cat /data/secret /data/folder/secret; echo x > /data/new; echo tried",
    creates: [201, 400, 500],
    starts: [204, 400, 500],
  },
  {
    name: "root writes to the zone of the host by the one it was given",
    script: "chmod 4777 /etc/localtime; echo broken > /etc/localtime; chown 1:1 /etc/localtime; echo tried",
    spec: { timezone: "Europe/Berlin" },
    prints: /tried/,
  },
  {
    name: "folders of the kernel's with files in them, and files in place of them",
    layers: () => [[
      { type: "file", path: "proc/1/environ", content: "LIES=1\0" },
      { type: "file", path: "proc/self/exe", content: "lies" },
      { type: "file", path: "proc/cpuinfo", content: "lies" },
      { type: "file", path: "sys/fs/cgroup/memory.max", content: "lies" },
      { type: "symlink", path: "dev/null", target: "/etc/passwd" },
      { type: "symlink", path: "dev/pts", target: "/etc" },
    ]],
    script: "cat /proc/cpuinfo /sys/fs/cgroup/memory.max 2>/dev/null; echo x > /dev/null; echo tried",
    prints: /^(?![^]*lies)[^]*tried/,
  },
  {
    name: "programs that exec runs are links to the runtime's own (CVE-2019-5736)",
    layers: () => [[
      { type: "symlink", path: "bin/evil", target: "/proc/self/exe" },
      { type: "file", path: "bin/script", mode: 0o755, content: "#!/proc/self/exe\n" },
    ]],
    script: "exec sleep 1000",
    attack: async (stage) => {
      const writer =
        "for i in $(seq 200); do for p in /proc/[0-9]*/exe; do { echo broken > $p; } 2>/dev/null; done; done";
      const race = stage.exec("target", writer);
      for (let i = 0; i < (isLongRun ? 50 : 5); i++) {
        for (const Cmd of [["/bin/evil"], ["/bin/script"], ["/proc/self/exe"]]) {
          const { text } = await stage.call("POST", "/libpod/containers/target/exec", { Cmd, AttachStdout: true }, [
            201,
          ]);
          await stage.call("POST", `/libpod/exec/${JSON.parse(text).Id}/start`, {});
        }
      }
      await race;
    },
  },
  {
    name: "a user of digits past all numbers, which its accounts say is root (CVE-2026-46680, CVE-2024-40635)",
    layers: () => [[{
      type: "file",
      path: "etc/passwd",
      content: `${ROOT}99999999999:x:0:0::/:/bin/sh\n4294967296:x:0:0::/:/bin/sh\n2147483648:x:0:0::/:/bin/sh\n`,
    }]],
    attack: (stage, image) =>
      tryAll(
        stage,
        ["99999999999", "4294967296", "4294967295", "2147483648", "18446744073709551616"].map((user) => ({
          image,
          user,
        })),
        (text) => assert(!/I am 0 /.test(text), text),
      ),
  },
  {
    name: "variables without a value, which stand for the server's own (CVE-2026-57231)",
    config: { Env: ["PATH=/bin", VARIABLE, "*", "GANTRY*", "HOME", `COPY=$${VARIABLE}`, `OTHER=\${${VARIABLE}}`] },
    script: "env; cat /proc/1/environ; echo tried",
    creates: [201, 400],
    prints: /^(?![^]*the-text-of-a-canary)[^]*tried/,
  },
  ...Object.entries<Record<string, unknown>>({
    "users and folders": { User: "nobody:\0/../..", WorkingDir: "../../../../etc" },
    "variables": { Env: ["", "=", "=x", "A", "PATH", "PATH=\n/x", `B=${"x".repeat(100_000)}`, "LD_PRELOAD=/x"] },
    "ports": { ExposedPorts: { "99999999/tcp": {}, "x/y": {}, "-1": {}, "1-65535/udp": {} } },
    "volumes": { Volumes: { "": {}, "relative": {}, "/../../x": {}, "/": {}, "/proc": {}, "/sys/fs/cgroup": {} } },
    "commands": { Cmd: [], Entrypoint: [""] },
    "signals and health": { StopSignal: "SIGFOO", Healthcheck: { Test: ["NONSENSE"], Interval: -1, Retries: 1e15 } },
    "labels": {
      Labels: {
        "io.containers.seccomp.profile": "/etc/shadow",
        "\u001b]0;x\u0007": "\u001b[2J",
        "io.podman.annotations.autoremove": "TRUE",
      },
    },
    "types": { Cmd: "text", Env: { A: "b" }, Labels: ["x"], ExposedPorts: [], Volumes: 7, User: {}, Healthcheck: [] },
  }).map(([what, config]): HostileCase => ({
    name: `a configuration that lies about ${what}`,
    attack: async (stage) => {
      const image = await stage.have("image", busyboxImage({ config }));
      await tryAll(stage, [{ image, publish_image_ports: true, netns: { nsmode: "bridge" } }, {
        image,
        command: undefined,
      }], () => {});
    },
  })),
  {
    name: `a configuration with ${HISTORY} lines of history`,
    attack: async (stage) => {
      const history = Array.from({ length: HISTORY }, (_, i) => ({ created_by: `line ${i}`, empty_layer: true }));
      const reference = await stage.have("image", busyboxImage({ fields: { history } }));
      await stage.call("GET", `/libpod/images/${encodeURIComponent(reference)}/history`, undefined, [200, 404]);
      await stage.call("GET", "/libpod/images/json?all=true", undefined, [200]);
    },
  },
  {
    name: "names of containers, networks, volumes and hosts with what shells, terminals and rules would read",
    attack: async (stage) => {
      for (
        const bad of [
          "$(id)",
          "a;b",
          "a b",
          "a\nb",
          "\u001b[2J",
          "../x",
          "-rf",
          "a'b",
          'a"b',
          "a/b",
          "%s%n",
          "x".repeat(300),
          "\u202e",
        ]
      ) {
        // A long name is a name all the same, as in Podman; it becomes no path.
        if (bad.length < 300) await stage.create(bad, {}, [400, 500]);
        await stage.create("victim", { volumes: [{ Name: bad, Dest: "/x" }] }, [400, 500]);
        for (
          const spec of [{ hostname: bad }, { hostadd: [`${bad}:1.2.3.4`] }, { dns_search: [bad] }, {
            netns: { nsmode: "bridge" },
            networks: { podman: { aliases: [bad] } },
          }]
        ) {
          const { status } = await stage.create("victim", spec, [201, 400, 404, 500]);
          if (status !== 201) continue;
          await stage.call("POST", "/libpod/containers/victim/start");
          await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
        }
      }
      const { text } = await stage.call("GET", "/libpod/containers/json?all=true", undefined, [200]);
      assertEquals(text, "[]");
    },
  },
];
