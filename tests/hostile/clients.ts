/** Clients that stall, flood, lie about lengths, and leave. */
import { assert, assertEquals } from "@std/assert";
import { connect, type Socket } from "node:net";
import type { HostileCase } from "./corpus.ts";
import type { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

const target = "/libpod/containers/target";
const SESSIONS = isLongRun ? 3000 : 200;
const CROWD = isLongRun ? 800 : 300;
const READERS = isLongRun ? 300 : 75;

/** The server's TCP address. */
export function tcpOf(stage: Stage): { host: string; port: number } {
  const { hostname, port } = new URL(stage.server.addresses[1].replace("tcp:", "http:"));
  return { host: hostname, port: Number(port) };
}

/** Opens connections that say so much, and no more. */
async function open(stage: Stage, count: number, text: string, tcp = false): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = tcp ? connect(tcpOf(stage)) : connect({ path: stage.server.socket });
    socket.on("error", () => {});
    await new Promise<void>((resolve) => {
      socket.once("connect", () => resolve());
      socket.once("close", () => resolve());
    });
    if (text !== "") socket.write(text);
    sockets.push(socket);
  }
  return sockets;
}

function leave(sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** Writes a piece again and again until the server has had enough; throws where it takes everything. */
async function flood(stage: Stage, head: string, piece: string, most = 300_000_000): Promise<void> {
  const [socket] = await open(stage, 1, head);
  let ended = false;
  let sent = 0;
  socket.on("data", () => {});
  socket.on("end", () => ended = true);
  socket.on("close", () => ended = true);
  const block = piece.repeat(Math.ceil(100_000 / piece.length));
  while (!ended && sent < most) {
    sent += block.length;
    if (!socket.write(block)) {
      await new Promise<void>((resolve) => {
        socket.once("drain", resolve);
        socket.once("close", () => resolve());
      });
    }
  }
  socket.destroy();
  assert(ended, `the server took ${sent} bytes and goes on`);
}

const HEAD = "Host: localhost\r\nContent-Type: application/json\r\n";

export const clients: readonly HostileCase[] = [
  {
    name: "half-open connections on each listener",
    attack: async (stage) => {
      const halves = [
        "",
        "GET /_p",
        "GET /_ping HTTP/1.1\r\nHost: localhost\r\n",
        `POST /libpod/containers/create HTTP/1.1\r\n${HEAD}Content-Length: 9\r\n\r\n`,
      ];
      const sockets: Socket[] = [];
      for (const half of halves) {
        sockets.push(...await open(stage, CROWD / 4, half), ...await open(stage, CROWD / 4, half, true));
      }
      try {
        await stage.call("GET", "/libpod/_ping", undefined, [200]);
        const reply = await fetch(`http://127.0.0.1:${tcpOf(stage).port}/_ping`, { headers: { connection: "close" } });
        assertEquals(await reply.text(), "OK");
      } finally {
        leave(sockets);
      }
    },
  },
  {
    name: "the page, asked for again and again and not read",
    attack: async (stage) => {
      const request = `GET / HTTP/1.1\r\n${HEAD}Accept: text/html\r\n\r\n`;
      const sockets = await open(stage, READERS, request.repeat(3), true);
      try {
        const reply = await fetch(`http://127.0.0.1:${tcpOf(stage).port}/openapi.json`);
        assertEquals((await reply.bytes()).length, Number(reply.headers.get("content-length")));
      } finally {
        leave(sockets);
      }
    },
  },
  {
    name: "JSON without end",
    attack: (stage) =>
      flood(
        stage,
        `POST /libpod/containers/create HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`,
        "a\r\n[[[[[[[[[[\r\n",
      ),
  },
  {
    name: "a string without end",
    attack: (stage) =>
      flood(
        stage,
        `POST /secrets/create HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\n{"Name":"\r\n`,
        "a\r\naaaaaaaaaa\r\n",
      ),
  },
  {
    name: "heads without end",
    attack: (stage) => flood(stage, "GET /_ping HTTP/1.1\r\nHost: localhost\r\n", "X-A: aaaaaaaaaaaaaaaa\r\n"),
  },
  {
    name: "JSON nested deep, numbers past all bounds, and keys that are prototypes",
    attack: async (stage) => {
      for (
        const raw of [
          "[".repeat(100_000) + "]".repeat(100_000),
          `{"labels":${'{"a":'.repeat(50_000)}1${"}".repeat(50_001)}`,
          '{"image":"x","resource_limits":{"memory":{"limit":1e400}}}',
          '{"__proto__":{"image":"x"},"constructor":{"prototype":{"privileged":true}}}',
          `{"image":${
            JSON.stringify(stage.session.image)
          },"labels":{"__proto__":"x","toString":"y"},"__proto__":{"privileged":true}}`,
          '{"image":"\\ud800","name":"\\u0000"}',
          "9".repeat(1_000_000),
        ]
      ) {
        for (const path of ["/libpod/containers/create", "/containers/create"]) {
          const reply = await stage.server.request("POST", path, { raw });
          const text = await reply.text();
          // A request that Podman refuses with 500 is refused so here; a defect says "Internal error" and nothing else.
          const isRefused = reply.status !== 201 && !text.includes("Internal error");
          assert(isRefused || raw.includes("toString"), `${reply.status} ${text.slice(0, 300)}`);
          if (reply.status !== 201) continue;
          const { text: inspected } = await stage.call("GET", `/libpod/containers/${JSON.parse(text).Id}/json`);
          assertEquals(JSON.parse(inspected).HostConfig.Privileged, false);
        }
      }
    },
  },
  {
    name: "filters and patterns that take for ever",
    attack: async (stage) => {
      const bad = [
        "(a+)+$",
        "(a|a)*b",
        "[".repeat(5000),
        "(".repeat(5000),
        "a{1000}{1000}",
        "(?=a)".repeat(500),
        "*".repeat(5000),
      ];
      for (const pattern of bad) {
        for (
          const path of [
            "/libpod/containers/json?all=true&filters=",
            "/libpod/images/json?filters=",
            "/containers/json?filters=",
          ]
        ) {
          const filters = JSON.stringify({ name: [pattern], label: [pattern], reference: [pattern] });
          const { status } = await stage.call("GET", path + encodeURIComponent(filters));
          assert([200, 400, 500].includes(status), `${status}`);
        }
      }
    },
  },
  {
    name: `${SESSIONS} exec sessions that nobody starts`,
    script: "exec sleep 1000",
    attack: async (stage) => {
      for (let i = 0; i < SESSIONS; i += 20) {
        await Promise.all(
          Array.from(
            { length: 20 },
            () =>
              stage.call("POST", `${target}/exec`, { Cmd: ["true", "x".repeat(10_000)] }, [201, 400, 409, 429, 500]),
          ),
        );
      }
      await stage.call("GET", `${target}/json`, undefined, [200]);
    },
  },
  {
    name: "upgrades that are left in the middle",
    script: "cat; exec sleep 1000",
    spec: { stdin: true },
    attack: async (stage) => {
      const upgrade = "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n";
      for (let round = 0; round < 5; round++) {
        const sockets = await open(
          stage,
          10,
          `POST ${target}/attach?stream=true&stdin=true&stdout=true HTTP/1.1\r\n${upgrade}\r\nhalf`,
        );
        await Promise.all(sockets.map((socket) =>
          new Promise((resolve) => {
            socket.once("readable", resolve);
            socket.once("close", resolve);
          })
        ));
        leave(sockets);
      }
    },
  },
  {
    name: "followers of logs, events and stats who never read",
    script: `yes ${"y".repeat(1000)} | head -c ${isLongRun ? 400_000_000 : 60_000_000}; exec sleep 1000`,
    attack: async (stage) => {
      const paths = [
        `${target}/logs?stdout=true&follow=true`,
        `${target}/stats?stream=true&interval=1`,
        "/libpod/events?stream=true&since=1",
        `${target}/top?stream=true&delay=1`,
        `${target}/attach?stream=true&logs=true&stdout=true`,
      ];
      const sockets = [];
      for (const path of paths) {
        const method = path.includes("attach") ? "POST" : "GET";
        sockets.push(...await open(stage, isLongRun ? 10 : 5, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
      }
      for (const socket of sockets) socket.pause();
      for (let i = 0; i < (isLongRun ? 50 : 15); i++) {
        await stage.create("noise", { command: ["true"] });
        await stage.call("DELETE", "/libpod/containers/noise?force=true&timeout=0", undefined, [200]);
      }
      await stage.printed("target", "yyy");
      // A client that attaches and never reads holds the container up, and must not keep it from being removed.
      await stage.call("DELETE", `${target}?force=true&timeout=0`, undefined, [200]);
      leave(sockets);
    },
  },
  {
    name: "requests by the thousand on one connection, whose answers nobody reads",
    attack: async (stage) => {
      const [socket] = await open(stage, 1, "");
      socket.pause();
      for (let i = 0; i < 100 && socket.writableLength < 5_000_000; i++) {
        socket.write("GET /libpod/info HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100));
      }
      await stage.call("GET", "/libpod/_ping", undefined, [200]);
      socket.destroy();
    },
  },
  {
    name: "archives whose client stops in the middle, and vanishes",
    script: "exec sleep 1000",
    attack: async (stage) => {
      const head =
        `PUT ${target}/archive?path=/tmp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-tar\r\nContent-Length: 1000000000\r\n\r\n`;
      const load =
        "POST /libpod/images/load HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-tar\r\nContent-Length: 1000000000\r\n\r\n";
      const sockets = [...await open(stage, 5, head + "\0".repeat(300)), ...await open(stage, 5, load + "half")];
      await stage.call("GET", `${target}/json`, undefined, [200]);
      leave(sockets);
    },
  },
  {
    name: "paths with everything that a parser may trip over",
    attack: async (stage) => {
      for (
        const path of [
          "/libpod/containers/..%2f..%2fetc%2fpasswd/json",
          "/libpod/containers/%00/json",
          "/libpod/images/..%2f..%2f..%2fetc/json",
          "/libpod/containers/%ff%fe/json",
          "/libpod/secrets/%2e%2e/json",
          "/libpod/exec/..%2f/json",
          "/v999999999999.0.0/libpod/_ping",
          `/libpod/containers/${"x".repeat(10_000)}/json`,
          "/libpod/containers/json?limit=99999999999999999999&all=maybe",
          "/libpod/containers/json?filters=%7b%22id%22%3a%5b%22" + "a".repeat(10_000) + "%22%5d%7d",
        ]
      ) {
        const { status } = await stage.call("GET", path);
        assert(status >= 200 && status < 600 && status !== 201, `${path}: ${status}`);
      }
    },
  },
  {
    name: "builds of nothing, of commands for a host and of files outside the context",
    attack: async (stage) => {
      for (
        const path of ["/build", "/libpod/build?remote=git://x/y.git%23;id", "/build?dockerfile=../../../etc/passwd"]
      ) {
        const { text } = await stage.call("POST", path, undefined, [400, 501]);
        assert(!text.includes("root:"), text.slice(0, 500));
      }
    },
  },
];
