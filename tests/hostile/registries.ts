/** Registries that redirect, never end, or say one thing and do another. */
import { assert } from "@std/assert";
import { createServer, type Socket } from "node:net";
import { type Faults, startBadRegistry } from "../fixtures/images/bad_registry.ts";
import { busyboxImage } from "../fixtures/images/image_builder.ts";
import type { HostileCase } from "./corpus.ts";
import { until } from "../fixtures/session.ts";
import type { Stage } from "./stage.ts";

const JSON_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** A server that says these bytes to everybody, and `more` again and again. */
async function startRaw(
  head: string,
  more = "",
): Promise<{ host: string; sent: () => number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let sent = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(head);
      const piece = more.repeat(Math.ceil(65_536 / Math.max(1, more.length)));
      const pump = () => {
        while (more !== "" && !socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once("drain", pump);
        }
      };
      pump();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    host,
    sent: () => sent,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Pulls from a server that talks without end; leaves when it has taken a lot, unless it was given up before. */
function rawCase(name: string, head: string, more: string): HostileCase {
  return {
    name,
    attack: async (stage) => {
      const raw = await startRaw(head, more);
      const controller = new AbortController();
      try {
        const pull = pullFrom(stage, raw.host).then(() => controller.abort());
        pull.catch(() => {});
        await until(() => Promise.resolve(assert(controller.signal.aborted || raw.sent() > 2e9)), 60_000);
        assert(controller.signal.aborted, `the server took ${raw.sent()} bytes and goes on`);
        await pull;
      } finally {
        await raw.close();
      }
    },
  };
}

async function pullFrom(stage: Stage, host: string): Promise<string> {
  const text = await stage.pull(`${host}/hostile/image:1`, "&tlsVerify=false");
  assert(!/"id":/.test(text), text);
  return text;
}

function faultCase(name: string, faults: Faults | ((stage: Stage) => Faults)): HostileCase {
  return {
    name,
    attack: async (stage) => {
      // A layer of its own, which is not here already from an earlier case.
      const image = busyboxImage({ layers: [{ entries: [{ type: "file", path: "case", content: name }] }] });
      const registry = await startBadRegistry(image, typeof faults === "function" ? faults(stage) : faults);
      try {
        await pullFrom(stage, registry.host);
        assert(registry.requests.length < 200, `${registry.requests.length} requests`);
      } finally {
        await registry.close();
      }
    },
  };
}

const OK = "HTTP/1.1 200 OK\r\n";

export const registries: readonly HostileCase[] = [
  rawCase("heads without end", OK, "X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n"),
  rawCase(
    "a manifest without end, in chunks",
    `${OK}Content-Type: ${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    "4\r\n    \r\n",
  ),
  rawCase(
    "a manifest without end, of a length past all bounds",
    `${OK}Content-Type: ${JSON_TYPE}\r\nContent-Length: 999999999999\r\n\r\n`,
    " ",
  ),
  rawCase("an error without end", "HTTP/1.1 500 No\r\nContent-Type: application/json\r\n\r\n", "x"),
  rawCase("a challenge without end", 'HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm="', "x"),
  faultCase("blobs that redirect to themselves", { loop: true }),
  faultCase(
    "blobs that are said to be files of the host",
    (stage) => ({ redirectBlobs: `file://${stage.canaries}/secret` }),
  ),
  faultCase(
    "blobs that are said to be at the server's own socket",
    (stage) => ({ redirectBlobs: `unix://${stage.server.socket}` }),
  ),
  faultCase("blobs whose length is wrong", { alterBlob: (bytes) => bytes.subarray(0, bytes.length - 7) }),
  faultCase("blobs that are longer than they are said to be, without saying", {
    alterBlob: (bytes) => new Uint8Array([...bytes, ...bytes]),
    chunked: true,
  }),
  faultCase("blobs with other content", { alterBlob: (bytes) => bytes.map((byte) => byte ^ 1) }),
  faultCase("blobs that end too soon, again and again", { cut: { after: 100 } }),
  faultCase("a manifest with another's digest", { digestHeader: `sha256:${"0".repeat(64)}` }),
  faultCase("tokens that are megabytes", { bearer: { answer: JSON.stringify({ token: "x".repeat(5_000_000) }) } }),
  faultCase("tokens with line breaks, for heads of their own", { bearer: { answer: '{"token":"a\\r\\nX-Evil: 1"}' } }),
  faultCase(
    "tokens from a realm that is a file",
    (stage) => ({ bearer: { realm: `file://${stage.canaries}/secret` } }),
  ),
  faultCase("errors that terminals would obey", {
    status: {
      of: "manifest",
      code: 404,
      body: '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"\\u001b]0;owned\\u0007\\r\\nforged line"}]}',
    },
  }),
  {
    name: "lists of tags whose next page is the first one, for ever",
    attack: async (stage) => {
      const names = Array.from({ length: 100 }, (_, i) => `t${i}`);
      const registry = await startBadRegistry(busyboxImage(), {
        tags: { names, pageSize: 2, link: () => "/v2/hostile/image/tags/list?last=&n=2" },
      });
      try {
        await stage.call(
          "GET",
          `/libpod/images/search?term=${registry.host}/hostile/image&listTags=true&tlsVerify=false`,
        );
        assert(registry.requests.length < 1000, `${registry.requests.length} requests`);
      } finally {
        await registry.close();
      }
    },
  },
  {
    name: "credentials are led to another registry by a redirect (CVE-2020-15157)",
    attack: async (stage) => {
      const thief = await startBadRegistry(busyboxImage());
      try {
        for (
          const faults of [{ redirectBlobs: thief.url }, { redirectBlobs: thief.url, redirectStatus: 302 }] as Faults[]
        ) {
          const registry = await startBadRegistry(busyboxImage(), faults);
          const auth = btoa(JSON.stringify({ username: "user", password: "the-password" }));
          const path = `/libpod/images/pull?reference=${registry.host}/x/y:1&tlsVerify=false`;
          const reply = await stage.server.request("POST", path, { headers: { "X-Registry-Auth": auth } });
          await reply.text();
          await registry.close();
          // Realms are told apart by names and certificates, which one machine has not: credentials_test has them.
          const stolen = thief.requests.filter(({ headers, body }) =>
            headers.authorization?.includes(btoa("user:the-password")) || body.includes("the-password")
          );
          assert(stolen.length === 0, JSON.stringify(stolen));
        }
      } finally {
        await thief.close();
      }
    },
  },
];
