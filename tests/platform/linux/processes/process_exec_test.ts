import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerRecord } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { ExecExit, ExecProcess, ExecStart } from "../../../../lib/engine/ports/exec_port.ts";
import { Bench, collect, ignore, readUntil } from "../../../fixtures/platform/process_bench.ts";
import { isLongRun } from "../../../long_run.ts";

const ALL = { stdin: true, stdout: true, stderr: true };
const MEGABYTE = 1024 * 1024;
const encoder = new TextEncoder();

/** A running container. */
async function running(bench: Bench, wish: Parameters<Bench["create"]>[0] = { args: ["sleep", "600"] }) {
  const record = await bench.create(wish);
  await bench.processes.start(record.id);
  return record;
}

function session(record: ContainerRecord, args: string[], rest: Partial<ExecStart> & Partial<ExecProcess> = {}) {
  const { env = [], terminal = false, privileged = false, user, workdir, ...others } = rest;
  const process = { args, env, terminal, privileged, user, workdir };
  return { id: randomBytes(32).toString("hex"), record, process, streams: ALL, ...others };
}

/** Resolves with the session's end; to be called before its start. */
function ended(bench: Bench, id: string): Promise<ExecExit> {
  return new Promise((resolve) => {
    const off = bench.processes.execs.onExit((each, exit) => {
      if (each !== id) return;
      off();
      resolve(exit);
    });
  });
}

async function run(bench: Bench, options: ExecStart) {
  const exit = ended(bench, options.id);
  const { attachment } = await bench.processes.execs.start(options);
  const output = await collect(attachment!);
  const { code } = await exit;
  await bench.processes.execs.delete(options.id);
  return { code, ...output };
}

Deno.test({
  name: "LinuxExecs.start() runs a process beside the container's own: output, codes, user, env, folder",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const sh = (script: string, rest = {}) => run(bench, session(record, ["sh", "-c", script], rest));
    assertEquals(await sh("echo out; echo err >&2; exit 3"), { code: 3, stdout: "out\n", stderr: "err\n" });
    assertEquals((await sh("kill -9 $$")).code, 137);
    assertEquals((await sh("echo to-a-name > /dev/stderr")).stderr, "to-a-name\n");
    assertEquals((await sh("id -u; id -g; echo $HOME; pwd", { user: "alice" })).stdout, "1000\n1001\n/home/alice\n/\n");
    const asked = { env: ["COLOR=blue", "PATH=/bin:/x"], workdir: "/tmp" };
    assertEquals((await sh("echo $COLOR $PATH; pwd", asked)).stdout, "blue /bin:/x\n/tmp\n");
    const capabilities = async (rest: object) => (await sh("grep CapEff /proc/self/status", rest)).stdout.trim();
    assert(await capabilities({ privileged: true }) !== await capabilities({}), "privileged has more");
    assertStringIncludes(await capabilities({ user: "1234" }), "0000000000000000");
    assertEquals(await readdir(bench.paths.execs), []);
  },
});

for (const runtime of ["runc", "crun"]) {
  Deno.test({
    name: `LinuxExecs.start() says why ${runtime} cannot run a process, attached or not, and leaves nothing`,
    ignore: ignore || !existsSync(`/usr/bin/${runtime}`) && !existsSync(`/usr/sbin/${runtime}`),
    async fn() {
      await using bench = await Bench.open(runtime);
      const record = await running(bench);
      const cases = [["nosuch", "command_not_found"], ["/bin/plain", "command_not_executable"]] as const;
      for (const [program, code] of cases) {
        for (const rest of [{}, { terminal: true }, { streams: undefined }]) {
          const start = () => bench.processes.execs.start(session(record, [program], rest));
          const error = await assertRejects(start, EngineError);
          assertEquals(error.code, code);
          // crun does not name what it may not run.
          assertMatch(error.message, new RegExp(`${program}|[Pp]ermission denied`));
        }
      }
      await assertRejects(
        () => bench.processes.execs.start(session(record, ["true"], { user: "nobody-here" })),
        EngineError,
        "unable to find user",
      );
      assertEquals(await readdir(bench.paths.execs), []);
    },
  });
}

Deno.test({
  name:
    "LinuxExecs.start() gives a late reader the whole output, also where its input was closed after the process's end",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const options = session(await running(bench), ["sh", "-c", "seq 1000; echo err >&2; echo last"]);
    const exit = ended(bench, options.id);
    const { attachment } = await bench.processes.execs.start(options);
    await exit;
    await attachment!.input.close();
    await sleep(200);
    const { stdout, stderr } = await collect(attachment!);
    assertEquals([stdout.split("\n").length, stdout.slice(-10), stderr], [1002, "1000\nlast\n", "err\n"]);
    await bench.processes.execs.delete(options.id);
  },
});

Deno.test({
  name: `LinuxExecs.start() carries ${isLongRun ? "1 GB" : "100 MB"} through cat, and half-closes its input`,
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const options = session(record, ["cat"]);
    const exit = ended(bench, options.id);
    const { attachment } = await bench.processes.execs.start(options);
    const sent = createHash("sha256"), received = createHash("sha256");
    const feed = (async () => {
      const writer = attachment!.input.getWriter();
      for (let i = 0; i < (isLongRun ? 1024 : 100); i++) {
        const chunk = new Uint8Array(randomBytes(MEGABYTE));
        sent.update(chunk);
        await writer.write(chunk);
      }
      await writer.close();
    })();
    let size = 0;
    for await (const { stream, data } of attachment!.output) {
      assertEquals(stream, "stdout");
      size += data.length;
      received.update(data);
    }
    await feed;
    assertEquals(size, (isLongRun ? 1024 : 100) * MEGABYTE);
    assertEquals(received.digest("hex"), sent.digest("hex"));
    assertEquals((await exit).code, 0);
  },
});

Deno.test({
  name: "LinuxExecs.start() loses nothing of a process that prints and ends, with input nobody read",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    for (let i = 0; i < 5; i++) {
      const { attachment } = await bench.processes.execs.start(
        session(record, ["sh", "-c", "seq 1 20000; seq 1 20000 >&2"]),
      );
      const writer = attachment!.input.getWriter();
      await writer.write(encoder.encode("never read\n"));
      const { stdout, stderr } = await collect(attachment!);
      assertEquals([stdout.length, stderr.length], [108_894, 108_894]);
      await writer.close();
    }
  },
});

Deno.test({
  name: "LinuxExecs.start() ends with its process, whatever that leaves behind",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const from = performance.now();
    const left = await run(bench, session(record, ["sh", "-c", "sleep 30 & echo begun; exit 4"]));
    assertEquals(left, { code: 4, stdout: "begun\n", stderr: "" });
    assert(performance.now() - from < 10_000);
  },
});

Deno.test({
  name: "LinuxExecs.start() gives a terminal with its size, from the first moment",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const size = { height: 33, width: 101 };
    const options = session(record, ["sh"], { terminal: true, size, env: ["PS1=> "] });
    const exit = ended(bench, options.id);
    const { attachment } = await bench.processes.execs.start(options);
    const writer = attachment!.input.getWriter();
    const reader = attachment!.output.getReader();
    await readUntil(reader, "> ");
    await writer.write(encoder.encode("stty size; test -t 0 && echo tty-$((6*7))\n"));
    assertStringIncludes(await readUntil(reader, "tty-42\r\n"), "33 101\r\n");
    await bench.processes.execs.resize(options.id, { height: 20, width: 40 });
    await writer.write(encoder.encode("stty size; echo done-$((1+1))\n"));
    assertStringIncludes(await readUntil(reader, "done-2\r\n"), "20 40\r\n");
    await writer.write(encoder.encode("sleep 30\n"));
    await sleep(100);
    await writer.write(encoder.encode("\x03exit 5\n"));
    assertEquals((await exit).code, 5);
    attachment!.close();
  },
});

Deno.test({
  name: "LinuxExecs.start() goes on with a process whose reader leaves",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const options = session(record, ["sh", "-c", "echo one; seq 1 200000; exit 6"]);
    const exit = ended(bench, options.id);
    const { attachment } = await bench.processes.execs.start(options);
    await readUntil(attachment!.output.getReader(), "one");
    attachment!.close();
    assertEquals((await exit).code, 6);
  },
});

Deno.test({
  name: "LinuxExecs tells of a process's end, whoever is slow to read its output and goes on to type",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    for (const args of [["sh", "-c", "echo one; exit 3"], ["sh", "-c", "seq 1 20000; exit 3"]]) {
      const options = session(record, args);
      const over = new AbortController();
      const { signal } = over;
      const exit = ended(bench, options.id).finally(() => over.abort());
      const late = sleep(120_000, undefined, { signal }).then(() => assert(false, "its end is not told"), () => {});
      const { attachment } = await bench.processes.execs.start(options);
      const writer = attachment!.input.getWriter();
      while (!signal.aborted) {
        const typed = writer.write(encoder.encode("typed\n")).then(() => sleep(5));
        await Promise.race([exit, late, typed]);
      }
      assertEquals((await exit).code, 3);
      const { stdout } = await collect(attachment!);
      assertMatch(stdout, /^(one|1\n2\n3\n[^]*\n20000)\n$/);
      attachment!.close();
      await bench.processes.execs.delete(options.id);
    }
  },
});

Deno.test({
  name: "LinuxExecs tells a later server of detached and attached ends alike",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const sh = ["sh", "-c", "sleep 0.7; exit 9"];
    const starts = [
      session(record, sh, { streams: undefined }),
      session(record, sh, { streams: undefined, terminal: true }),
      session(record, sh),
    ];
    for (const start of starts) {
      const { pid } = await bench.processes.execs.start(start);
      assertEquals(await bench.processes.execs.state(start.id), { status: "running", pid });
    }
    await bench.processes.close();
    await bench.reopen();
    const exits = await Promise.all(starts.map(({ id }) => ended(bench, id)));
    assertEquals(exits.map(({ code }) => code), [9, 9, 9]);
    for (const { id } of starts) {
      assertEquals((await bench.processes.execs.state(id)).exit?.code, 9);
      await bench.processes.execs.delete(id);
      assert(!existsSync(`${bench.paths.execs}/${id}`));
    }
  },
});

Deno.test({
  name: "LinuxExecs tells of the end of processes whose container ends",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await running(bench);
    const starts = [session(record, ["sleep", "60"]), session(record, ["sleep", "60"], { streams: undefined })];
    const exits = starts.map(({ id }) => ended(bench, id));
    for (const start of starts) await bench.processes.execs.start(start);
    await bench.processes.kill(record.id, 9);
    assertEquals((await Promise.all(exits)).map(({ code }) => code), [137, 137]);
  },
});
