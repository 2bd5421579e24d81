import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Bench, collect, ignore, readUntil } from "../../../../fixtures/platform/process_bench.ts";
import { until } from "../../../../fixtures/session.ts";

const ALL = { stdin: true, stdout: true, stderr: true };
const MEGABYTE = 1024 * 1024;

/** How many connections to supervisors nobody has accepted: such a one has no inode yet. */
async function waitingConnections(): Promise<number> {
  const lines = (await Deno.readTextFile("/proc/net/unix")).split("\n");
  return lines.filter((line) => /^\S+: (\S+ +){5}0 .*\/attach$/.test(line)).length;
}

Deno.test({
  name: "LinuxProcesses.attach() carries 100 MB through a container and half-closes its input",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({
      args: ["cat"],
      spec: { stdin: true },
      record: { log: { driver: "none", path: "" } },
    });
    const attachment = await bench.processes.attach(record.id, ALL);
    const ended = bench.ended(record.id);
    await bench.processes.start(record.id);
    const sent = createHash("sha256");
    const received = createHash("sha256");
    const feed = (async () => {
      const writer = attachment.input.getWriter();
      for (let i = 0; i < 100; i++) {
        const chunk = new Uint8Array(MEGABYTE);
        new DataView(chunk.buffer).setUint32(0, i);
        for (let at = 4; at < MEGABYTE; at += 4) chunk[at] = at * 31 + i;
        sent.update(chunk);
        await writer.write(chunk);
      }
      await writer.close();
    })();
    let size = 0;
    for await (const { data } of attachment.output) {
      size += data.length;
      received.update(data);
    }
    await feed;
    assertEquals(size, 100 * MEGABYTE);
    assertEquals(received.digest("hex"), sent.digest("hex"));
    assertEquals((await ended).code, 0);
  },
});

Deno.test({
  name: "LinuxProcesses.attach() loses nothing of a container that prints and ends, with input nobody read",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    for (let i = 0; i < 5; i++) {
      const record = await bench.create({ args: ["sh", "-c", "seq 1 20000; seq 1 20000 >&2"], spec: { stdin: true } });
      const attachment = await bench.processes.attach(record.id, ALL);
      const writer = attachment.input.getWriter();
      await writer.write(new TextEncoder().encode("never read\n"));
      await bench.processes.start(record.id);
      const { stdout, stderr } = await collect(attachment);
      assertEquals(stdout.length, 108_894);
      assertEquals(stderr.length, 108_894);
      await writer.write(new TextEncoder().encode("too late\n"));
      await writer.close();
    }
  },
});

Deno.test({
  name: "LinuxProcesses.attach() gives a terminal, with its size",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh"], process: { terminal: true, env: ["PATH=/bin", "PS1=> "] } });
    const attachment = await bench.processes.attach(record.id, ALL);
    const ended = bench.ended(record.id);
    await bench.processes.start(record.id);
    await bench.processes.resize(record.id, { height: 33, width: 101 });
    const writer = attachment.input.getWriter();
    const reader = attachment.output.getReader();
    await readUntil(reader, "> ");
    await writer.write(new TextEncoder().encode("stty size; test -t 0 && echo tty-$((6*7))\n"));
    const seen = await readUntil(reader, "tty-42\r\n");
    assertStringIncludes(seen, "33 101\r\n");
    await writer.write(new TextEncoder().encode("exit 5\n"));
    assertEquals((await ended).code, 5);
    attachment.close();
  },
});

Deno.test({
  name: "LinuxProcesses.attach() serves several at once, and one that leaves does not disturb the others",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "echo one; sleep 0.3; echo two"] });
    const [first, second] = await Promise.all([1, 2].map(() => bench.processes.attach(record.id, ALL)));
    await bench.processes.start(record.id);
    const reader = first!.output.getReader();
    await readUntil(reader, "one");
    first!.close();
    assertEquals((await collect(second!)).stdout, "one\ntwo\n");
  },
});

Deno.test({
  name:
    "LinuxProcesses.attach() resolves when the supervisor has accepted it: none misses what a container says at once",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["echo", "one"] });
    const { conmonPid: supervisor } = await bench.processes.state(record.id);
    assertExists(supervisor);
    Deno.kill(supervisor, "SIGSTOP");
    let attached = 0;
    const attachments = [1, 2, 3].map(async () => {
      const attachment = await bench.processes.attach(record.id, ALL);
      attached++;
      return attachment;
    });
    await until(async () => assert(await waitingConnections() >= 3));
    await sleep(100);
    assertEquals(attached, 0);
    Deno.kill(supervisor, "SIGCONT");
    const opened = await Promise.all(attachments);
    await bench.processes.start(record.id);
    const outputs = await Promise.all(opened.map(collect));
    assertEquals(outputs.map(({ stdout }) => stdout), ["one\n", "one\n", "one\n"]);
  },
});

Deno.test({
  name: "LinuxProcesses.attach() waits no longer for a supervisor that has ended before it accepted",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"] });
    const { conmonPid: supervisor } = await bench.processes.state(record.id);
    assertExists(supervisor);
    Deno.kill(supervisor, "SIGSTOP");
    const attachments = [1, 2].map(() => bench.processes.attach(record.id, ALL));
    await until(async () => assert(await waitingConnections() >= 2));
    Deno.kill(supervisor, "SIGKILL");
    for (const attachment of await Promise.all(attachments)) {
      assertEquals(await collect(attachment), { stdout: "", stderr: "" });
    }
  },
});

Deno.test({
  name: "LinuxProcesses.attach() gives only the streams that are wanted",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "echo out; echo err >&2"] });
    const attachment = await bench.processes.attach(record.id, { stdin: false, stdout: false, stderr: true });
    await bench.processes.start(record.id);
    assertEquals(await collect(attachment), { stdout: "", stderr: "err\n" });
  },
});

Deno.test({
  name:
    "LinuxProcesses.onExit() tells of an end when clients have read what the container said before it, or take too long",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    for (const isRead of [true, false]) {
      const record = await bench.create({ args: ["echo", "last words"] });
      const attachment = await bench.processes.attach(record.id, ALL);
      let isTold = false;
      const ended = bench.ended(record.id).then(() => isTold = true);
      await bench.processes.start(record.id);
      while ((await bench.processes.state(record.id)).status !== "stopped") await sleep(10);
      await sleep(200);
      assertEquals(isTold, false);
      if (isRead) assertEquals((await collect(attachment)).stdout, "last words\n");
      await ended;
      attachment.close();
    }
  },
});
