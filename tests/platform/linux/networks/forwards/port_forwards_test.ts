import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { PublishedPorts } from "../../../../../lib/engine/ports/network_port.ts";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import { isAlive, markProcess, processesBelow } from "../../../../../lib/platform/linux/helpers/proc.ts";
import { startProgram } from "../../../../../lib/platform/linux/helpers/spawn.ts";
import { forwardedPorts, portsText } from "../../../../../lib/platform/linux/networks/forwards/forwarded_ports.ts";
import { PortForwards } from "../../../../../lib/platform/linux/networks/forwards/port_forwards.ts";
import { until } from "../../../../fixtures/session.ts";

const CONTAINER = "ab".repeat(32);
const OTHER = "cd".repeat(32);

/** A container's program that sends back what it gets, and a free port of `::1` that may lead to it. */
class Bench implements AsyncDisposable {
  readonly sockets: Socket[] = [];
  readonly told: string[] = [];
  readonly servers: PortForwards[] = [];
  isConnected = true;

  private constructor(
    readonly folder: string,
    readonly program: Server,
    readonly containerPort: number,
    readonly hostPort: number,
  ) {
    program.on("connection", (socket) => {
      this.sockets.push(socket);
      socket.on("error", () => {});
      socket.pipe(socket);
    });
  }

  static async open(): Promise<Bench> {
    const folder = await mkdtemp(join(tmpdir(), "gantry-forwards-"));
    const program = createServer();
    return new Bench(folder, program, await listen(program, "127.0.0.1"), await freePort());
  }

  /** What a server does with published ports. */
  server(): PortForwards {
    const { folder } = this;
    const server = new PortForwards({
      folder,
      netns: undefined,
      isConnected: () => this.isConnected,
      log: (_, text) => this.told.push(text),
    });
    this.servers.push(server);
    return server;
  }

  options(...addresses: string[]): PublishedPorts {
    return this.at(CONTAINER, this.hostPort, addresses);
  }

  at(containerID: string, hostPort: number, addresses = ["127.0.0.1"]): PublishedPorts {
    const { containerPort } = this;
    const ports = [{ hostIP: "::1", hostPort, containerPort, range: 1, protocol: "tcp" as const }];
    return { containerID, addresses, networks: [], ports };
  }

  /** The process that has the ports. */
  async pid(): Promise<number> {
    return JSON.parse(await readFile(join(this.folder, "program"), "utf8")).pid;
  }

  async connect(port = this.hostPort): Promise<Socket> {
    const socket = connect(port, "::1");
    this.sockets.push(socket);
    await once(socket, "connect");
    socket.on("error", () => {});
    return socket;
  }

  /** Waits until the container answers at a port. */
  async answers(port = this.hostPort): Promise<void> {
    await until(async () => {
      const socket = await this.connect(port);
      const failed = once(socket, "close").then(() => "closed");
      try {
        assertEquals(await Promise.race([send(socket, "x"), failed]), "x");
      } finally {
        socket.destroy();
      }
    });
  }

  async isClosed(port = this.hostPort): Promise<void> {
    await assertRejects(() => once(connect(port, "::1"), "connect"), Error, "ECONNREFUSED");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const last = this.server();
    for (const name of await readdir(this.folder)) if (/^[0-9a-f]{64}$/.test(name)) await last.end(name);
    const pid = await this.pid().catch(() => undefined);
    const mark = pid === undefined ? undefined : markProcess(pid);
    for (const server of this.servers) await server.close();
    // Without ports and without anybody who asks, it ends.
    if (mark !== undefined) await until(() => assert(!isAlive(mark), "the process has ended"));
    for (const socket of this.sockets) socket.destroy();
    await closeServer(this.program);
    await rm(this.folder, { recursive: true });
  }
}

async function freePort(): Promise<number> {
  const free = createServer();
  const port = await listen(free, "::1");
  await closeServer(free);
  return port;
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

Deno.test("PortForwards leaves connections alone where a network that came changes nothing for them", async () => {
  await using bench = await Bench.open();
  const server = bench.server();
  await server.publish(bench.options("127.0.0.1"));
  const socket = await bench.connect();
  assertEquals(await send(socket, "one"), "one");
  await server.publish(bench.options("127.0.0.1", "10.0.0.1"));
  assertEquals(await send(socket, "two"), "two");
  const closed = once(socket, "close");
  await server.publish(bench.options("127.0.0.2", "127.0.0.1"));
  await closed;
  await server.publish({ ...bench.options("127.0.0.1"), ports: [] });
  await bench.isClosed();
});

Deno.test("PortForwards publishes nothing that it cannot note", async () => {
  await using bench = await Bench.open();
  // A folder in the note's place: it cannot be written.
  await mkdir(join(bench.folder, CONTAINER));
  await assertRejects(() => bench.server().publish(bench.options("127.0.0.1")), Error);
  await bench.isClosed();
  await rm(join(bench.folder, CONTAINER), { recursive: true });
});

Deno.test("PortForwards publishes more ports than a program takes as its arguments", async () => {
  await using bench = await Bench.open();
  const [port] = bench.options().ports;
  const [first, range] = [5000, 18_000];
  const many = { ...bench.options("fd00::1"), ports: [{ ...port!, hostPort: first, containerPort: first, range }] };
  try {
    await bench.server().publish(many);
  } catch (error) {
    // Another program of this machine may have one of them, and a machine may have fewer open files.
    const isTaken = error instanceof EngineError && error.code === "port_in_use";
    assert(isTaken || String(error).includes("too many open files"), String(error));
    return;
  }
  await bench.connect(first + range - 1);
});

Deno.test("PortForwards has one process for all containers, which ends with the last ports", async () => {
  await using bench = await Bench.open();
  const server = bench.server();
  const second = await freePort();
  await Promise.all([server.publish(bench.options("127.0.0.1")), server.publish(bench.at(OTHER, second))]);
  const pid = await bench.pid();
  assertEquals(processesBelow(process.pid).filter((one) => one !== pid && commandOf(one).includes(bench.folder)), []);
  await bench.answers(second);
  const other = await bench.connect(second);
  assertEquals(await send(other, "a"), "a");
  await server.end(CONTAINER);
  await bench.isClosed();
  assertEquals(await send(other, "b"), "b");
  const closed = once(other, "close");
  await server.end(OTHER);
  await closed;
  await bench.isClosed(second);
  assertEquals(await readdir(bench.folder), ["ports", "program"]);
});

Deno.test("PortForwards tells a port that another container has, and leaves none of the others behind", async () => {
  await using bench = await Bench.open();
  const server = bench.server();
  await server.publish(bench.options("127.0.0.1"));
  const free = await freePort();
  const two = { ...bench.at(OTHER, free), ports: [...bench.at(OTHER, free).ports, ...bench.options().ports] };
  const error = await assertRejects(() => server.publish(two), EngineError);
  assertEquals(error.code, "port_in_use");
  assertStringIncludes(error.message, String(bench.hostPort));
  await bench.isClosed(free);
  await bench.answers();
});

Deno.test("PortForwards hands on what comes while a client has all connections of another container", async () => {
  await using bench = await Bench.open();
  const server = bench.server();
  const second = await freePort();
  await server.publish(bench.options("127.0.0.1"));
  await server.publish(bench.at(OTHER, second));
  // Few at a time: the kernel has 128 wait, and forgets others.
  while (bench.sockets.length < 1024) {
    const sockets = await Promise.all(Array.from({ length: 32 }, () => bench.connect()));
    assertEquals(await Promise.all(sockets.map((socket) => send(socket, "x"))), sockets.map(() => "x"));
  }
  const beyond = await bench.connect();
  let got = "";
  beyond.on("data", (data) => got += String(data));
  beyond.write("y");
  const pid = await bench.pid();
  assertEquals(processesBelow(pid).length, 512);
  await bench.answers(second);
  assertEquals(got, "");
  for (const socket of bench.sockets) if (socket !== beyond) socket.destroy();
  await until(() => assertEquals(got, "y"));
});

Deno.test("PortForwards hands on datagrams, by a process for each container, which has a successor", async () => {
  await using bench = await Bench.open();
  const server = bench.server();
  const program = createSocket("udp4");
  program.on("message", (data, { port, address }) => program.send(data, port, address));
  const client = createSocket("udp6");
  try {
    await new Promise<void>((resolve) => program.bind(0, "127.0.0.1", resolve));
    const udp = { hostIP: "::1", containerPort: program.address().port, range: 1, protocol: "udp" as const };
    const options = bench.options("127.0.0.1");
    await server.publish({ ...options, ports: [...options.ports, { ...udp, hostPort: bench.hostPort }] });
    let got = "";
    client.on("message", (data) => got += String(data));
    const answers = async (text: string) => {
      got = "";
      // Datagrams may be lost.
      await until(() => {
        client.send(text, bench.hostPort, "::1");
        assert(got.includes(text), `${text} came back`);
      });
    };
    await answers("one");
    await bench.answers();
    const pid = await bench.pid();
    const [worker] = await until(() => {
      const below = processesBelow(pid);
      assertEquals(below.length, 1);
      return below;
    });
    process.kill(worker!, "SIGKILL");
    await answers("two");
    const [next] = processesBelow(pid);
    assertNotEquals(next, worker);
    process.kill(next!, "SIGSTOP");
    await answers("three");
    process.kill(pid, "SIGKILL");
    await answers("four");
    await server.end(CONTAINER);
    const taker = createSocket("udp6");
    await new Promise<void>((resolve, reject) => taker.once("error", reject).bind(bench.hostPort, "::1", resolve));
    await new Promise<void>((resolve) => taker.close(resolve));
  } finally {
    await new Promise<void>((resolve) => program.close(resolve));
    await new Promise<void>((resolve) => client.close(resolve));
  }
});

Deno.test("PortForwards has ports go on when their process is killed or stopped, whichever server started it, and none that has ended", async () => {
  await using bench = await Bench.open();
  const { told } = bench;
  const second = await freePort();
  const first = bench.server();
  await first.publish(bench.options("127.0.0.1"));
  await first.publish(bench.at(OTHER, second));
  await bench.answers();
  process.kill(await bench.pid(), "SIGKILL");
  await bench.answers();
  await bench.answers(second);
  assertEquals(told, ["Published ports: their process ended, and is started again"]);
  process.kill(await bench.pid(), "SIGSTOP");
  await bench.answers();
  assertEquals(told[1], "Published ports: their process was stopped, and has to go on");
  // A server that comes after a crash has the same process, with its connections.
  const socket = await bench.connect();
  assertEquals(await send(socket, "a"), "a");
  const pid = await bench.pid();
  await first.close();
  const next = bench.server();
  await next.publish(bench.options("127.0.0.1"));
  assertEquals(await send(socket, "b"), "b");
  assertEquals(await bench.pid(), pid);
  await next.close();
  // Nobody is there who would see it.
  process.kill(pid, "SIGKILL");
  const last = bench.server();
  await bench.answers(second);
  await bench.answers();
  assertNotEquals(await bench.pid(), pid);
  await last.end(CONTAINER);
  await bench.isClosed();
  await bench.answers(second);
  // A container that has gone without a teardown.
  bench.isConnected = false;
  process.kill(await bench.pid(), "SIGKILL");
  await until(async () => assertEquals((await readdir(bench.folder)).includes(OTHER), false));
  // A port that somebody else has taken meanwhile is tried until it is free.
  bench.isConnected = true;
  const other = createServer();
  await until(async () => {
    await last.publish(bench.options("127.0.0.1"));
    process.kill(await bench.pid(), "SIGKILL");
    other.listen(bench.hostPort, "::1");
    await once(other, "listening");
  });
  await until(() => assertStringIncludes(told.at(-1)!, "publish its ports again: EADDRINUSE"));
  await closeServer(other);
  await bench.answers();
});

Deno.test("PortForwards ends what an earlier version had started, and has its ports when that is killed", async () => {
  await using bench = await Bench.open();
  const start = () => startProgram("sleep", ["1000"], { stdio: "ignore", detached: true });
  const note = async (child: ReturnType<typeof start>) => {
    const fields = portsText(forwardedPorts(bench.options("127.0.0.1"), false)).split(" ");
    await writeFile(join(bench.folder, CONTAINER), JSON.stringify({ ...markProcess(child.pid!), fields }));
  };
  const old = start();
  await note(old);
  const server = bench.server();
  // It has these ports: its connections live on.
  await server.publish(bench.options("127.0.0.1"));
  assertEquals(old.signalCode, null);
  const ended = once(old, "exit");
  process.kill(old.pid!, "SIGKILL");
  await ended;
  await bench.answers();
  await server.end(CONTAINER);
  const older = start();
  await note(older);
  const killed = once(older, "exit");
  await server.end(CONTAINER);
  assertEquals((await killed)[1], "SIGKILL");
});

function commandOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
  } catch {
    return "";
  }
}
