/** Web pages that a user of the machine has open, and that try the server's TCP address. */
import { assertEquals } from "@std/assert";
import { connect } from "node:net";
import { tcpOf } from "./clients.ts";
import type { HostileCase } from "./corpus.ts";
import type { Stage } from "./stage.ts";

/** The status that a request with these heads gets over TCP. */
function statusOf(stage: Stage, start: string, heads: Record<string, string>, body = ""): Promise<number> {
  const socket = connect(tcpOf(stage));
  const lines = Object.entries(heads).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  socket.write(`${start} HTTP/1.1\r\n${lines}${length}\r\n${body}`);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.on("close", () => reject(new Error(`No status in ${JSON.stringify(text)}`)));
  });
}

const own = (stage: Stage) => `127.0.0.1:${tcpOf(stage).port}`;

/** Each of these is refused, and starts nothing. */
function pageCase(name: string, heads: (stage: Stage) => Record<string, string>): HostileCase {
  return {
    name,
    attack: async (stage) => {
      const body = JSON.stringify({ image: stage.session.image, name: "stolen", command: ["true"] });
      for (
        const start of ["GET /libpod/info", "POST /libpod/containers/create", "DELETE /libpod/containers/x?force=true"]
      ) {
        const sent = start.startsWith("POST") ? body : "";
        assertEquals(await statusOf(stage, start, heads(stage), sent), 403, start);
      }
      assertEquals(JSON.parse((await stage.call("GET", "/libpod/containers/json?all=true")).text), []);
    },
  };
}

const upgrade = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

export const pages: readonly HostileCase[] = [
  pageCase("a page whose name was pointed at this machine (DNS rebinding)", () => ({
    Host: "evil.example:8080",
    Origin: "http://evil.example:8080",
  })),
  pageCase("a page whose name is one word, which a resolver's search list points here", () => ({
    Host: "rebound",
    Origin: "http://rebound",
  })),
  pageCase("a page of another origin", (stage) => ({ Host: own(stage), Origin: "https://evil.example" })),
  pageCase("a page of no origin (a sandbox, a file)", (stage) => ({ Host: own(stage), Origin: "null" })),
  pageCase("a page of another port of this machine", (stage) => ({ Host: own(stage), Origin: "http://127.0.0.1:1" })),
  pageCase("a page that sends no origin, but whose browser says it is another site's", (stage) => ({
    Host: own(stage),
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "no-cors",
  })),
  pageCase("a form, whose body is said to be plain text", (stage) => ({
    Host: own(stage),
    Origin: "https://evil.example",
    "Content-Type": "text/plain",
  })),
  {
    name: "a WebSocket of another origin",
    script: "exec sleep 1000",
    attack: async (stage) => {
      for (const path of ["attach/ws?stream=true&stdin=true", "logs?follow=true", "stats", "top"]) {
        const heads = { Host: own(stage), Origin: "https://evil.example", ...upgrade };
        assertEquals(await statusOf(stage, `GET /containers/target/${path}`, heads), 403, path);
      }
      const start = "GET /libpod/exec/0123456789ab/start/ws";
      const heads = { Host: own(stage), Origin: "https://evil.example", ...upgrade };
      assertEquals(await statusOf(stage, start, heads), 403, start);
      assertEquals(
        await statusOf(stage, "GET /events", { Host: "rebound", Origin: "http://rebound", ...upgrade }),
        403,
      );
    },
  },
];
