/** Clients and servers on Deno, Node 24 and workerd, in all pairings, over TCP and over Unix sockets where there are any. */
import { assert, assertEquals } from "@std/assert";
import { bundled, nodeProgram } from "../../fixtures/platform/test_cache.ts";
import { connect } from "../../../lib/platform/http/client/connect.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import { run } from "../../fixtures/run.ts";
import { serveEverything } from "./pairing_api.ts";
import { runCases } from "./pairing_cases.ts";
import { startNode } from "../served.ts";
import { startWorkerd } from "../workerd.ts";

/** A server, at an address. */
interface Server extends AsyncDisposable {
  readonly address: string;
}

const folder = await Deno.makeTempDir({ prefix: "gantry-pairs-" });
const program = `${folder}/pairing.mjs`;
let script = "";

async function startWorker() {
  const workerd = await startWorkerd({
    script,
    objects: { EVERYTHING: "Everything" },
    // Without it nobody is told when a caller goes away: the work is stopped where it stands.
    flags: ["enable_request_signal"],
  });
  return { address: workerd.url, [Symbol.asyncDispose]: () => workerd[Symbol.asyncDispose]() };
}

const servers: Record<string, (address: string) => Promise<Server>> = {
  "Deno": (address) => listen(address, serveEverything()),
  "Deno.serve": () => {
    const serve = serveEverything();
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => serve(request, { upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options) }),
    );
    const address = `tcp://127.0.0.1:${server.addr.port}`;
    return Promise.resolve({ address, [Symbol.asyncDispose]: () => server.shutdown() });
  },
  "Node 24": async (address) => {
    const own = await Deno.makeTempDir({ prefix: "gantry-pairs-node-" });
    return await startNode(own, [program, "serve", address]);
  },
  "workerd": startWorker,
};

/** Clients; each calls a server at an address and gives the cases that passed. */
const clients: Record<string, (address: string, worker: string) => Promise<string[]>> = {
  "Deno": (address) =>
    address.startsWith("unix:")
      ? runCases({ base: "http://localhost", client: connect(address) })
      : runCases({ base: address.replace("tcp:", "http:") }),
  "Node 24": async (address) => {
    const { code, stdout, stderr } = await run([await nodeProgram(), program, "call", address], { cwd: folder });
    assertEquals(code, 0, stderr);
    return JSON.parse(stdout);
  },
  "workerd": async (address, worker) => {
    const response = await fetch(`${worker}/?call=${encodeURIComponent(address.replace("tcp:", "http:"))}`);
    const text = await response.text();
    assert(response.ok, text);
    return JSON.parse(text);
  },
};

Deno.test("every client gets from every server what the definition says", async (t) => {
  try {
    await Deno.writeTextFile(program, await bundled("tests/conformance/pairing/pairing_node.ts", "node"));
    script = await bundled("tests/conformance/pairing/pairing_workers.ts", "workers");
    await t.step("a call without a network", async () => {
      const passed = await runCases({ base: "http://localhost", client: { fetch: serveEverything() }, socket: false });
      assertEquals(passed.length, 24);
    });
    await using worker = await startWorker();
    for (const transport of ["TCP", "a Unix socket"]) {
      const unix = transport !== "TCP";
      for (const [runtime, serve] of Object.entries(servers)) {
        // workerd has no Unix sockets, neither to listen on nor to connect to; Deno.serve is the same server on them.
        if (unix && (runtime === "workerd" || runtime === "Deno.serve")) continue;
        await using server = await serve(unix ? `unix://${folder}/s/${runtime.slice(0, 4)}.sock` : "tcp://127.0.0.1:0");
        for (const [caller, call] of Object.entries(clients)) {
          if (unix && caller === "workerd") continue;
          await t.step(`${caller} to ${runtime} over ${transport}`, async () => {
            const passed = await call(server.address, worker.address);
            assertEquals(passed.length, 25);
          });
        }
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
