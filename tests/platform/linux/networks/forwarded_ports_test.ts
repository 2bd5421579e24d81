import { assert, assertEquals, assertRejects } from "@std/assert";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PublishedPorts } from "../../../../lib/engine/ports/network_port.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { endForwarding, forwardPorts } from "../../../../lib/platform/linux/networks/forwarded_ports.ts";

const CONTAINER = "ab".repeat(32);

/** A container's program that sends back what it gets, and a free port of `::1` that may lead to it. */
async function openBench() {
  const folder = await mkdtemp(join(tmpdir(), "gantry-forwards-"));
  const sockets: Socket[] = [];
  const program = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  const containerPort = await listen(program, "127.0.0.1");
  const free = createServer();
  const hostPort = await listen(free, "::1");
  await closeServer(free);
  const options = (...addresses: string[]): PublishedPorts => ({
    containerID: CONTAINER,
    addresses,
    networks: [],
    ports: [{ hostIP: "::1", hostPort, containerPort, range: 1, protocol: "tcp" }],
  });
  return {
    folder,
    hostPort,
    options,
    async [Symbol.asyncDispose]() {
      await endForwarding(folder, CONTAINER);
      for (const socket of sockets) socket.destroy();
      await closeServer(program);
      await rm(folder, { recursive: true });
    },
  };
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  assert(address !== null && typeof address === "object");
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

async function send(socket: Socket, text: string): Promise<string> {
  const answer = once(socket, "data");
  socket.write(text);
  const [bytes] = await answer;
  return String(bytes);
}

Deno.test("forwardPorts() leaves connections alone where a network that came changes nothing for them", async () => {
  await using bench = await openBench();
  const { folder, options, hostPort } = bench;
  await forwardPorts(folder, undefined, options("127.0.0.1"));
  const socket = connect(hostPort, "::1");
  socket.on("error", () => {});
  await once(socket, "connect");
  assertEquals(await send(socket, "one"), "one");
  await forwardPorts(folder, undefined, options("127.0.0.1", "10.0.0.1"));
  assertEquals(await send(socket, "two"), "two");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await forwardPorts(folder, undefined, options("127.0.0.2", "127.0.0.1"));
  await closed;
  await forwardPorts(folder, undefined, { ...options("127.0.0.1"), ports: [] });
  await assertRejects(() => once(connect(hostPort, "::1"), "connect"), Error, "ECONNREFUSED");
});

Deno.test("forwardPorts() leaves no process behind that it cannot note", async () => {
  await using bench = await openBench();
  const { folder, options, hostPort } = bench;
  // A folder in the note's place: it cannot be written.
  await mkdir(join(folder, CONTAINER));
  await assertRejects(() => forwardPorts(folder, undefined, options("127.0.0.1")), Error);
  await assertRejects(() => once(connect(hostPort, "::1"), "connect"), Error, "ECONNREFUSED");
  await rm(join(folder, CONTAINER), { recursive: true });
});

Deno.test("forwardPorts() publishes more ports than a program takes as its arguments", async () => {
  await using bench = await openBench();
  const { folder, options } = bench;
  const [port] = options().ports;
  const [first, range] = [5000, 18_000];
  const many = { ...options("fd00::1"), ports: [{ ...port!, hostPort: first, containerPort: first, range }] };
  try {
    await forwardPorts(folder, undefined, many);
  } catch (error) {
    // Another program of this machine may have one of them, and a machine may have fewer open files.
    const isTaken = error instanceof EngineError && error.code === "port_in_use";
    assert(isTaken || String(error).includes("too many open files"), String(error));
    return;
  }
  const socket = connect(first + range - 1, "::1");
  await once(socket, "connect");
  socket.destroy();
});
