/** Containers that make readers wait: pipes, devices, sockets and processes that do not go on. */
import { assert } from "@std/assert";
import { buildTar } from "../fixtures/images/tar_builder.ts";
import type { HostileCase } from "./corpus.ts";
import { taste } from "./growth.ts";
import type { Stage } from "./stage.ts";

const target = "/libpod/containers/target";
const ANY = [200, 201, 204, 400, 404, 409, 500];

/** All that looks into a container's files, each answered one way or the other. */
async function lookAtAll(stage: Stage): Promise<void> {
  for (const user of ["", "user", "1000", "0:users", "nobody:nogroup"]) {
    const body = { Cmd: ["true"], User: user, AttachStdout: true, WorkingDir: "/" };
    const made = await stage.call("POST", `${target}/exec`, body, ANY);
    if (made.status === 201) await stage.call("POST", `/libpod/exec/${JSON.parse(made.text).Id}/start`, {}, ANY);
  }
  for (const path of ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf", "/etc"]) {
    await taste(stage, `GET ${target}/archive?path=${path}`);
    await stage.call("HEAD", `${target}/archive?path=${path}`, undefined, ANY);
  }
  await stage.call("GET", `${target}/top?ps_args=user,group,args`, undefined, ANY);
  await stage.call("GET", `${target}/changes`, undefined, ANY);
  await stage.call("POST", `${target}/restart?timeout=0`, undefined, ANY);
}

export const blocking: readonly HostileCase[] = [
  {
    name: "pipes in place of accounts, hosts and resolvers of a container that runs",
    script:
      `cd /etc; for f in passwd group mtab localtime; do rm -f $f; mkfifo $f; done; cd /; rm -rf /home; mkfifo /home
      echo ready; exec sleep 1000`,
    ready: "ready",
    attack: lookAtAll,
  },
  {
    name: "endless devices in place of accounts",
    script: `cd /etc; rm passwd group; mknod passwd c 1 5; mknod group c 1 8; echo ready; exec sleep 1000`,
    spec: { cap_add: ["MKNOD"] },
    ready: "ready",
    attack: lookAtAll,
  },
  {
    name: "links to endless devices, to terminals and to oneself in place of accounts",
    script:
      `cd /etc; ln -sf /dev/zero passwd; ln -sf group group; ln -sf /proc/self/fd/0 mtab; echo ready; exec sleep 1000`,
    ready: "ready",
    attack: lookAtAll,
  },
  ...["etc/passwd", "etc/group", "etc/hosts", "etc/resolv.conf", "etc/hostname", "etc/mtab", "run", "dev", "work"].map(
    (path): HostileCase => ({
      name: `an image with a pipe in place of /${path}`,
      layers: () => [[{ type: "whiteout", path }], [{ type: "fifo", path }]],
      spec: { user: "user", work_dir: "/work", netns: { nsmode: "bridge" } },
      starts: [204, 400, 404, 500],
    }),
  ),
  {
    name: "files are copied from pipes and sockets, and into them",
    script: `mkfifo /pipe; mkdir /folder; mkfifo /folder/pipe; ln -s /socket /dev/log; syslogd -n -O /messages &
      until [ -S /socket ]; do sleep 0.1; done; echo ready; exec sleep 1000`,
    ready: "ready",
    attack: async (stage) => {
      for (
        const path of [
          "/pipe",
          "/folder",
          "/socket",
          "/dev/zero",
          "/dev/tty",
          "/dev/ptmx",
          "/dev/pts",
          "/proc/kmsg",
          "/proc/1",
        ]
      ) {
        await taste(stage, `GET ${target}/archive?path=${path}`);
        await stage.call("HEAD", `${target}/archive?path=${path}`, undefined, ANY);
      }
      const raw = new TextDecoder().decode(buildTar([{ type: "file", path: "pipe", content: "x" }]));
      for (const path of ["/", "/folder", "/pipe", "/dev", "/proc", "/sys"]) {
        const reply = await stage.server.request("PUT", `${target}/archive?path=${path}`, {
          raw,
          headers: { "content-type": "application/x-tar" },
        });
        assert(ANY.includes(reply.status), `${reply.status}`);
      }
    },
  },
  {
    name: "a process that is stopped, and a container that is paused",
    script: "trap '' TERM; sleep 1000 & kill -STOP $!; echo ready; wait; sleep 1000",
    ready: "ready",
    attack: async (stage) => {
      await stage.call("GET", `${target}/top`, undefined, [200]);
      await stage.call("POST", `${target}/pause`, undefined, [204, 409, 500]);
      await Promise.all([
        stage.call("GET", `${target}/top`, undefined, [200, 409, 500]),
        stage.call("GET", `${target}/stats?stream=false`, undefined, [200, 409]),
        taste(stage, `GET ${target}/archive?path=/etc`),
        stage.call("POST", `${target}/exec`, { Cmd: ["true"] }, [201, 409, 500]),
      ]);
    },
  },
  {
    name: "a container that lets nobody stop it while it is stopped, killed and removed by many",
    script: "trap '' TERM INT QUIT HUP; echo ready; while :; do sleep 1; done",
    ready: "ready",
    attack: async (stage) => {
      await Promise.all([
        ...[0, 1, 2].map((n) =>
          stage.call("POST", `${target}/stop?timeout=${n}`, undefined, [204, 304, 404, 409, 500])
        ),
        stage.call("POST", `${target}/kill?signal=TERM`, undefined, [204, 404, 409]),
        stage.call("DELETE", `${target}?force=true&timeout=0`, undefined, [200, 404, 409, 500]),
      ]);
    },
  },
];
