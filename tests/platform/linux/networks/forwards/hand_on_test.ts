import { assert, assertEquals } from "@std/assert";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { markProcess, processesBelow } from "../../../../../lib/platform/linux/helpers/proc.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../../../../../lib/platform/linux/helpers/spawn.ts";
import { FrameReader } from "../../../../../lib/platform/linux/perl/frames.ts";
import { eventSize, perlArguments, PORTS_PROGRAM } from "../../../../../lib/platform/linux/perl/programs.ts";
import { PortBench, send } from "../../../../fixtures/platform/port_bench.ts";
import { until } from "../../../../fixtures/session.ts";

/** Starts the program of a bench's ports with another text, as a server before would have left it. */
async function startChanged({ folder }: PortBench, change: (text: string) => string): Promise<void> {
  const text = PORTS_PROGRAM.parts.join("");
  assert(change(text) !== text, "the program has what the test changes");
  const args = perlArguments({ ...PORTS_PROGRAM, parts: [change(text)] }, "Test", [eventSize(), folder, ""]);
  const child = startProgram("perl", args, {
    env: HELPER_ENVIRONMENT,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  child.unref();
  await writeFile(join(folder, "program"), JSON.stringify(markProcess(child.pid!)));
  assertEquals(await new FrameReader(child.stdout!).readTexts(), ["ready"]);
  child.stdout!.destroy();
}

Deno.test("PortForwards hands on all that a client sends, also while it reads none of the answers", async () => {
  await using bench = await PortBench.open();
  await bench.server().publish(bench.options("127.0.0.1"));
  bench.program.removeAllListeners("connection");
  // Answers each piece, and reads on meanwhile, as a program with a thread for each way.
  bench.program.on("connection", (socket) => {
    bench.sockets.push(socket);
    socket.on("data", (bytes) => void socket.write(bytes));
    socket.on("end", () => socket.end());
    socket.on("error", () => {});
  });
  const size = 32 << 20;
  const client = connect({ port: bench.hostPort, host: "::1", allowHalfOpen: true });
  bench.sockets.push(client);
  await once(client, "connect");
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 4096) bytes[i] = i >> 12;
  await new Promise<void>((resolve) => client.end(bytes, resolve));
  let [got, differences] = [0, 0];
  client.on("data", (piece: Uint8Array) => {
    for (const byte of piece) if (byte !== bytes[got++]) differences++;
  });
  await once(client, "end");
  assertEquals([got, differences], [size, 0]);
});

Deno.test("PortForwards ends a connection that the container has ended, though its client keeps silent, and no other", async () => {
  await using bench = await PortBench.open();
  await startChanged(bench, (text) => text.replace("my $PATIENCE = 60;", "my $PATIENCE = 1;"));
  await bench.server().publish(bench.options("127.0.0.1"));
  const lives = await bench.connect();
  assertEquals(await send(lives, "a"), "a");
  const silent = connect({ port: bench.hostPort, host: "::1", allowHalfOpen: true });
  bench.sockets.push(silent);
  await once(silent, "connect");
  assertEquals(await send(silent, "b"), "b");
  const pid = await bench.pid();
  assertEquals(processesBelow(pid).length, 2);
  const ended = once(silent, "end");
  silent.resume();
  // The bench's own list has the client's side and the container's.
  for (const socket of bench.sockets) if (socket.localPort === bench.containerPort && socket !== lives) socket.unpipe();
  bench.sockets.filter(({ localPort }) => localPort === bench.containerPort).at(-1)!.end();
  await ended;
  await until(() => assertEquals(processesBelow(pid).length, 1));
  const container = bench.sockets.find(({ localPort }) => localPort === bench.containerPort)!;
  container.write("c");
  assertEquals(String((await once(lives, "data"))[0]), "c");
});

Deno.test("PortForwards asks after clients and containers that say nothing", async () => {
  await using bench = await PortBench.open();
  await bench.server().publish(bench.options("127.0.0.1"));
  const socket = await bench.connect();
  assertEquals(await send(socket, "a"), "a");
  const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  // proc_pid_net(5): both addresses, the state, and 02 for a timer that asks.
  const timers = async (file: string, from: string, to: string) =>
    (await readFile(`/proc/net/${file}`, "utf8")).split("\n").flatMap((line) => {
      const [, local = "", remote = "", , , timer = ""] = line.trim().split(/\s+/);
      return local.endsWith(from) && (to === "" || remote.endsWith(to)) ? [timer.slice(0, 2)] : [];
    });
  await until(async () => {
    assertEquals(await timers("tcp6", hex(bench.hostPort), hex(socket.localPort!)), ["02"]);
    const inner = bench.sockets.find(({ localPort }) => localPort === bench.containerPort)!;
    assertEquals(await timers("tcp", hex(inner.remotePort!), hex(bench.containerPort)), ["02"]);
  });
});

Deno.test("PortForwards hands on datagrams as soon as the machine has a process for that", async () => {
  await using bench = await PortBench.open();
  // The first fork(2) fails.
  const failing = "our $failures //= 1; my $child = ($failures-- > 0 ? undef : fork) // return;";
  await startChanged(bench, (text) => text.replace("my $child = fork // return;", failing));
  const program = createSocket("udp4");
  program.on("message", (data, { port, address }) => program.send(data, port, address));
  const client = createSocket("udp6");
  try {
    await new Promise<void>((resolve) => program.bind(0, "127.0.0.1", resolve));
    const [port] = bench.options().ports;
    const ports = [{ ...port!, protocol: "udp" as const, containerPort: program.address().port }];
    await bench.server().publish({ ...bench.options("127.0.0.1"), ports });
    assertEquals(processesBelow(await bench.pid()), []);
    let got = "";
    client.on("message", (data) => got += String(data));
    await until(() => {
      client.send("x", bench.hostPort, "::1");
      assert(got.includes("x"), "an answer came");
    });
  } finally {
    await new Promise<void>((resolve) => program.close(resolve));
    await new Promise<void>((resolve) => client.close(resolve));
  }
});
