import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import { markProcess, processesBelow } from "../../../../../lib/platform/linux/helpers/proc.ts";
import { startProgram } from "../../../../../lib/platform/linux/helpers/spawn.ts";
import { forwardedPorts, portsText } from "../../../../../lib/platform/linux/networks/forwards/forwarded_ports.ts";
import { closeServer, CONTAINER, freePort, PortBench, send } from "../../../../fixtures/platform/port_bench.ts";
import { until } from "../../../../fixtures/session.ts";

const OTHER = "cd".repeat(32);

Deno.test("PortForwards leaves connections alone where a network that came changes nothing for them", async () => {
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
  // A folder in the note's place: it cannot be written.
  await mkdir(join(bench.folder, CONTAINER));
  await assertRejects(() => bench.server().publish(bench.options("127.0.0.1")), Error);
  await bench.isClosed();
  await rm(join(bench.folder, CONTAINER), { recursive: true });
});

Deno.test("PortForwards publishes more ports than a program takes as its arguments", async () => {
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
  await using bench = await PortBench.open();
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
