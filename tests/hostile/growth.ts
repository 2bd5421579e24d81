/** Containers that grow: folders, files, names, processes, texts and output without end. */
import { assert } from "@std/assert";
import { connect } from "node:net";
import { until } from "../fixtures/session.ts";
import type { HostileCase } from "./corpus.ts";
import type { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

const DEEP = isLongRun ? 20_000 : 3_000;
const FILES = isLongRun ? 200_000 : 20_000;
const PROCESSES = isLongRun ? 300 : 100;
const target = "/libpod/containers/target";
/** Folders deeper than any path is long: chains that fit into a path, each hung into the end of the next. */
const chain = (name: string, perPath: number, depth: number) =>
  `name=${name}; i=0; p=; while [ $i -lt ${perPath} ]; do p=$p/$name; i=$((i+1)); done
   j=0; mkdir chain; while [ $j -lt ${Math.ceil(depth / perPath)} ]; do
   mkdir -p new$p && mv chain new$p/ && mv new chain || exit 1; j=$((j+1)); done; echo deep; exec sleep 1000`;

/** Everything that may walk a tree; the client leaves what goes on for long. */
async function walkAll(stage: Stage): Promise<void> {
  await stage.call("GET", `${target}/changes`);
  await stage.call("GET", `${target}/json?size=true`, undefined, [200]);
  await stage.call("GET", "/libpod/containers/json?all=true&size=true", undefined, [200]);
  await Promise.all([taste(stage, `GET ${target}/export`), taste(stage, `GET ${target}/archive?path=/`)]);
}

/** Begins a request, takes its first bytes, and leaves. */
export async function taste(stage: Stage, request: string, most = 200_000): Promise<void> {
  const socket = connect({ path: stage.server.socket });
  socket.on("error", () => {});
  socket.write(`${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let seen = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => (seen += chunk.length) > most && resolve());
    socket.on("close", () => resolve());
  });
  socket.destroy();
}

export const growth: readonly HostileCase[] = [
  {
    name: `${DEEP} folders, one in the other`,
    script: chain("d", 1000, DEEP),
    ready: "deep",
    attack: walkAll,
  },
  {
    name: "folders with names of 255 bytes, one in the other",
    script: chain("$(head -c 255 /dev/zero | tr '\\0' n)", 14, 300),
    ready: "deep",
    attack: walkAll,
  },
  {
    name: `${DEEP} folders deep in a volume that a part is mounted from, which is given away, and removed`,
    script: "cd /data; " + chain("d", 1000, DEEP),
    spec: { volumes: [{ Dest: "/data" }] },
    ready: "deep",
    attack: async (stage) => {
      const volumes_from = ["target"];
      await stage.create("victim", { command: ["true"], volumes_from, user: "1000" }, [201]);
      await stage.call("POST", "/libpod/containers/victim/start", undefined, [204, 400, 500]);
      await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
    },
  },
  {
    name: `${DEEP} folders deep in an overlay over a bind, which a restart policy starts again`,
    script: "cd /o; " + chain("d", 1000, DEEP),
    spec: (stage) => ({
      overlay_volumes: [{ source: `${stage.canaries}/folder`, destination: "/o" }],
      restart_policy: "always",
    }),
    ready: "deep",
    attack: async (stage) => {
      await stage.call("POST", `${target}/restart?timeout=0`, undefined, [204, 500]);
      await stage.call("GET", `${target}/json`, undefined, [200]);
    },
  },
  {
    name: `${FILES} files in one folder`,
    script: `mkdir /many; cd /many; seq ${FILES} | xargs touch; echo grown; exec sleep 1000`,
    ready: "grown",
    attack: walkAll,
  },
  {
    name: `${FILES} links in one folder`,
    script:
      `mkdir /many; seq ${FILES} | sed 's,^,x/,' | xargs -n 1000 sh -c 'ln -s "$@" /many' sh; echo grown; exec sleep 1000`,
    ready: "grown",
    attack: walkAll,
  },
  {
    name: "sparse files of a terabyte in place of accounts, hosts and more",
    script: `for f in passwd group hosts resolv.conf hostname mtab; do truncate -s 1T /etc/$f; done; truncate -s 1T /big
      truncate -s 1T /etc/localtime /run/.containerenv /.dockerenv; echo grown; exec sleep 1000`,
    ready: "grown",
    attack: async (stage) => {
      await walkAll(stage);
      for (const user of ["user", "1000", "0:users"]) {
        const body = { Cmd: ["true"], AttachStdout: true, User: user };
        const made = await stage.call("POST", `${target}/exec`, body);
        if (made.status === 201) await stage.call("POST", `/libpod/exec/${JSON.parse(made.text).Id}/start`, {});
      }
      await stage.call("GET", `${target}/top?ps_args=user,huser,hgroup,group`, undefined, [200]);
      await stage.call("POST", `${target}/restart?timeout=0`, undefined, [204, 400, 500]);
      await taste(stage, `GET ${target}/archive?path=/big`);
    },
  },
  {
    name: "hosts of a container in a network grow to a terabyte",
    script: "truncate -s 1T /etc/hosts; truncate -s 1T /etc/resolv.conf; echo grown; exec sleep 1000",
    spec: { netns: { nsmode: "bridge" } },
    ready: "grown",
    attack: async (stage) => {
      const joined = { command: ["sleep", "1000"], netns: { nsmode: "container", value: "target" } };
      await stage.create("friend", joined);
      await stage.call("POST", "/libpod/containers/friend/start", undefined, [204, 400, 500]);
      await stage.call("POST", `${target}/restart?timeout=0`, undefined, [204, 400, 500]);
    },
  },
  {
    name: "labels of megabytes and a health check without a pause",
    script: "exec sleep 1000",
    spec: {
      labels: { big: "x".repeat(3_000_000) },
      healthconfig: { Test: ["CMD", "true"], Interval: 1, Timeout: 1e9, Retries: 1 },
    },
    creates: [201, 400, 413],
    attack: async (stage) => {
      const read = taste(stage, "GET /libpod/events?stream=true&since=1", 20_000_000);
      for (let i = 0; i < 20; i++) {
        await stage.call("GET", `${target}/healthcheck`);
        await stage.call("GET", "/libpod/_ping", undefined, [200]);
      }
      await stage.call("DELETE", `${target}?force=true&timeout=0`, undefined, [200, 404]);
      await Promise.race([read, stage.call("GET", "/libpod/events?stream=false&since=1")]);
    },
  },
  {
    name: "a health check that prints without end",
    script: "exec sleep 1000",
    spec: {
      healthconfig: { Test: ["CMD-SHELL", "yes healthy"], Interval: 1e9, Timeout: 1e9, Retries: 1 },
      healthMaxLogSize: 0,
      healthMaxLogCount: 0,
    },
    attack: async (stage) => {
      for (let i = 0; i < (isLongRun ? 10 : 2); i++) {
        await stage.call("GET", `${target}/healthcheck`, undefined, [200, 409, 500]);
      }
      await stage.call("GET", `${target}/json`, undefined, [200]);
    },
  },
  {
    name: "environment and arguments of megabytes",
    spec: {
      env: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`V${i}`, "x".repeat(1000)])),
      command: Array.from({ length: 20_000 }, (_, i) => `argument-${i}-${"x".repeat(50)}`),
    },
    creates: [201, 400, 413],
    starts: [204, 400, 404, 500],
  },
  {
    name: "one argument that no kernel takes",
    spec: { command: ["echo", "x".repeat(1_000_000)] },
    creates: [201, 400, 413],
    starts: [204, 400, 404, 500],
  },
  {
    name: `${PROCESSES} processes with command lines of 100 KB`,
    script: `long=$(head -c 100000 /dev/zero | tr '\\0' x); n=0
      while [ $n -lt ${PROCESSES} ]; do sh -c 'while :; do sleep 100; done' $long & n=$((n+1)); done; echo grown; wait`,
    ready: "grown",
    attack: async (stage) => {
      for (const query of ["", "?ps_args=pid,args,comm,etime", "?stream=false&ps_args=-ef"]) {
        await stage.call("GET", `${target}/top${query}`, undefined, [200, 500]);
      }
      await stage.call("GET", "/containers/target/top", undefined, [200, 500]);
      await stage.call("GET", `${target}/stats?stream=false`, undefined, [200]);
    },
  },
  {
    name: "a process bomb within its limit",
    script: "trap '' TERM; bomb() { bomb | bomb & }; echo ready; bomb; sleep 1000",
    spec: { resource_limits: { pids: { limit: 100 } } },
    ready: "ready",
    attack: async (stage) => {
      await stage.call("GET", `${target}/top`, undefined, [200, 500]);
      await stage.call("POST", `${target}/stop?timeout=1`, undefined, [204, 304]);
    },
  },
  {
    name: "output without a line's end, and nobody who reads it",
    script: "head -c 100000000 /dev/zero; echo grown; exec sleep 1000",
    ready: "grown",
    spec: { log_configuration: { driver: "k8s-file", size: 1_000_000 } },
    attack: async (stage) => {
      await taste(stage, `GET ${target}/logs?stdout=true&follow=true`, 1000);
      await taste(stage, `GET ${target}/logs?stdout=true&tail=10`, 1000);
    },
  },
  {
    name: "execs that print without end, to clients who do not read",
    script: "exec sleep 1000",
    attack: async (stage) => {
      const sockets = [];
      for (let i = 0; i < 5; i++) {
        const body = { Cmd: ["yes"], AttachStdout: true };
        const { text } = await stage.call("POST", `${target}/exec`, body, [201]);
        const socket = connect({ path: stage.server.socket });
        socket.on("error", () => {});
        const json = "{}";
        const head = "Host: localhost\r\nContent-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n";
        const path = `/libpod/exec/${JSON.parse(text).Id}/start`;
        socket.write(`POST ${path} HTTP/1.1\r\n${head}Content-Length: ${json.length}\r\n\r\n${json}`);
        socket.pause();
        sockets.push(socket);
      }
      await until(async () => {
        const { text } = await stage.call("GET", `${target}/top?ps_args=args`, undefined, [200]);
        assert(text.split("yes").length > 5, text);
      });
      for (const socket of sockets) socket.destroy();
      await stage.call("POST", `${target}/stop?timeout=0`, undefined, [204]);
    },
  },
];
