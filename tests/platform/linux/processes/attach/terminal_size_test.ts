import { assertEquals, assertExists, assertRejects, assertStringIncludes } from "@std/assert";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { TerminalSize } from "../../../../../lib/engine/records/spec_parts.ts";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import { execPaths } from "../../../../../lib/platform/linux/helpers/paths.ts";
import { Bench, collect, ignore, readUntil } from "../../../../fixtures/platform/process_bench.ts";

const ALL = { stdin: true, stdout: true, stderr: true };
const TERMINAL = { terminal: true, env: ["PATH=/bin", "PS1=> "] };

Deno.test({
  name: "LinuxProcesses.resize() resolves when the terminal has the size, which the program sees from its beginning",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["stty", "size"], process: TERMINAL });
    const attachment = await bench.processes.attach(record.id, ALL);
    const { conmonPid: supervisor } = await bench.processes.state(record.id);
    assertExists(supervisor);
    Deno.kill(supervisor, "SIGSTOP");
    let isSet = false;
    const resized = bench.processes.resize(record.id, { height: 33, width: 101 }).then(() => isSet = true);
    await sleep(100);
    assertEquals(isSet, false);
    Deno.kill(supervisor, "SIGCONT");
    await resized;
    await bench.processes.start(record.id);
    assertEquals((await collect(attachment)).stdout, "33 101\r\n");
  },
});

Deno.test({
  name: "LinuxProcesses.resize() says that a container has ended whose supervisor ends before it has heard of the size",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"], process: TERMINAL });
    const { conmonPid: supervisor } = await bench.processes.state(record.id);
    assertExists(supervisor);
    Deno.kill(supervisor, "SIGSTOP");
    const resized = bench.processes.resize(record.id, { height: 33, width: 101 });
    const refused = assertRejects(() => resized, EngineError, `container ${record.id} is not running`);
    await sleep(100);
    Deno.kill(supervisor, "SIGKILL");
    await refused;
    const later = () => bench.processes.resize(record.id, { height: 33, width: 101 });
    await assertRejects(later, EngineError, `container ${record.id} is not running`);
  },
});

for (const runtime of ["runc", "crun"]) {
  Deno.test({
    name: `LinuxProcesses.create() gives a terminal its size before ${runtime} runs the program`,
    ignore: ignore || !existsSync(`/usr/bin/${runtime}`) && !existsSync(`/usr/sbin/${runtime}`),
    async fn() {
      await using bench = await Bench.open(runtime);
      const run = (terminalSize: TerminalSize) =>
        bench.run({ args: ["stty", "size"], process: TERMINAL, spec: { terminalSize } });
      for (let round = 0; round < 5; round++) {
        const { stdout } = await run({ height: 30 + round, width: 71 });
        assertEquals(stdout, `${30 + round} 71\r\n`);
      }
      const args = ["sleep", "1000"];
      const record = await bench.create({ args, process: TERMINAL, spec: { terminalSize: { height: 9, width: 9 } } });
      await bench.processes.start(record.id);
      // A session's terminal is another one. busybox says in these words that it has no size.
      const id = randomBytes(32).toString("hex");
      const process = { args: ["stty", "size"], ...TERMINAL, privileged: false, user: undefined, workdir: undefined };
      const { attachment } = await bench.processes.execs.start({ id, record, process, streams: ALL });
      assertExists(attachment);
      assertEquals((await collect(attachment)).stdout, "stty: standard input\r\n");
    },
  });

  // crun sets the size while the program is on its way: on a busy machine one that looks at once is sometimes too early.
  const when = runtime === "crun" ? "as" : "before";
  Deno.test({
    name: `LinuxExecs.start() gives a terminal its size ${when} ${runtime} runs the program`,
    ignore: ignore || !existsSync(`/usr/bin/${runtime}`) && !existsSync(`/usr/sbin/${runtime}`),
    async fn() {
      await using bench = await Bench.open(runtime);
      const record = await bench.create({ args: ["sleep", "1000"] });
      await bench.processes.start(record.id);
      const args = runtime === "crun" ? ["sh"] : ["stty", "size"];
      const process = { args, ...TERMINAL, privileged: false, user: undefined, workdir: undefined };
      for (let round = 0; round < 10; round++) {
        const size = { height: 30 + round, width: 101 };
        const id = randomBytes(32).toString("hex");
        const { attachment } = await bench.processes.execs.start({ id, record, process, streams: ALL, size });
        assertExists(attachment);
        if (runtime !== "crun") {
          assertEquals((await collect(attachment)).stdout, `${size.height} 101\r\n`);
          continue;
        }
        const reader = attachment.output.getReader();
        // A shell that asks is behind crun.
        await readUntil(reader, "> ");
        await attachment.input.getWriter().write(new TextEncoder().encode("stty size; echo done-$((1+1))\n"));
        assertStringIncludes(await readUntil(reader, "done-2\r\n"), `${size.height} 101\r\n`);
        attachment.close();
      }
    },
  });
}

Deno.test({
  name: "LinuxExecs.resize() resolves when the terminal has the size; of several at once the last one stays",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"] });
    await bench.processes.start(record.id);
    const id = randomBytes(32).toString("hex");
    const process = { args: ["sh"], ...TERMINAL, privileged: false, user: undefined, workdir: undefined };
    const { attachment } = await bench.processes.execs.start({ id, record, process, streams: ALL });
    assertExists(attachment);
    const writer = attachment.input.getWriter();
    const reader = attachment.output.getReader();
    await readUntil(reader, "> ");
    const facts = JSON.parse(await Deno.readTextFile(execPaths(bench.paths, id).facts));
    Deno.kill(facts.supervisor.pid, "SIGSTOP");
    let set = 0;
    const sizes = [20, 21, 22, 23].map((height) => ({ height, width: 40 }));
    const resized = sizes.map((size) => bench.processes.execs.resize(id, size).then(() => set++));
    await sleep(100);
    assertEquals(set, 0);
    Deno.kill(facts.supervisor.pid, "SIGCONT");
    await Promise.all(resized);
    await writer.write(new TextEncoder().encode("stty size; echo done-$((1+1))\n"));
    assertStringIncludes(await readUntil(reader, "done-2\r\n"), "23 40\r\n");
    attachment.close();
  },
});
