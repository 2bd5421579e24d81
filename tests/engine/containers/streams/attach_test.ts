import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DetachScanner, parseDetachKeys } from "../../../../lib/engine/containers/streams/detach_keys.ts";
import { openFake, seeded, spec } from "../../../fixtures/engine/fake_engine.ts";

const STREAMS = { stdin: true, stdout: true, stderr: true };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

Deno.test("parseDetachKeys() reads keys as clients spell them", () => {
  assertEquals([...parseDetachKeys("ctrl-p,ctrl-q")], [16, 17]);
  assertEquals([...parseDetachKeys("a,ctrl-@,CTRL-[,ctrl-_")], [97, 0, 27, 31]);
  assertEquals([...parseDetachKeys("")], []);
  for (const bad of ["ctrl-", "ab", "ctrl-1", "a,,b", "ctrl-é"]) {
    assertThrows(() => parseDetachKeys(bad), Error, "unable to parse detach keys");
  }
});

Deno.test("DetachScanner.scan() passes all else on, in any cut", () => {
  const keys = parseDetachKeys("a,a,b");
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const typed = Array.from({ length: 30 }, () => "ab\0c"[Math.floor(random() * 4)]).join("");
    const at = typed.indexOf("aab");
    const scanner = new DetachScanner(keys);
    let passed = "";
    let detached = false;
    for (let i = 0; i < typed.length && !detached;) {
      const end = i + 1 + Math.floor(random() * 4);
      const result = scanner.scan(encoder.encode(typed.slice(i, end)));
      passed += decoder.decode(result.data);
      detached = result.detached;
      i = end;
    }
    if (!detached) passed += decoder.decode(scanner.flush());
    assertEquals([detached, passed], [at >= 0, at >= 0 ? typed.slice(0, at) : typed], typed);
  }
});

Deno.test("Containers.attach() before the start sees all of it, tags and all", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  const { output, input } = await containers.attach(id, STREAMS);
  assertEquals(containers.resolve(id).state.status, "initialized");
  await containers.start(id);
  kernel.write(id, "out\n");
  kernel.write(id, "err\n", "stderr");
  const writer = input.getWriter();
  await writer.write(encoder.encode("typed"));
  kernel.end(id, 0);
  const frames = await Array.fromAsync(output);
  assertEquals(frames.map(({ stream, data }) => [stream, decoder.decode(data)]), [["stdout", "out\n"], [
    "stderr",
    "err\n",
  ]]);
});

Deno.test("Containers.attach() gives the log first, or the log only", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  kernel.write(id, "old\n");
  const only = await containers.attach(id, { ...STREAMS, logs: true, stream: false });
  assertEquals((await Array.fromAsync(only.output)).map(({ data }) => decoder.decode(data)), ["old\n"]);
  const both = await containers.attach(id, { ...STREAMS, logs: true });
  const reader = both.output.getReader();
  assertEquals(decoder.decode((await reader.read()).value?.data), "old\n");
  kernel.write(id, "new\n");
  assertEquals(decoder.decode((await reader.read()).value?.data), "new\n");
  kernel.end(id, 0);
  assertEquals((await reader.read()).done, true);
  await assertRejects(
    () => containers.attach(id, { ...STREAMS, stream: false }),
    Error,
    "at least one of stream or logs",
  );
});

Deno.test("Containers.attach() reads no more of the log when it is closed before anybody read the output", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  for (let line = 0; line < 50; line++) kernel.write(id, `${line}\n`, line % 2 === 0 ? "stdout" : "stderr");
  const attachment = await containers.attach(id, { ...STREAMS, logs: true });
  attachment.close();
  // The first frame was on its way: the stream asks for it when it is made.
  assertEquals((await Array.fromAsync(attachment.output)).map(({ data }) => decoder.decode(data)), ["0\n"]);
});

Deno.test("Containers.attach() passes bytes like detach keys on where there is no terminal", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec({ stdin: true }));
  await containers.start(id);
  const writer = (await containers.attach(id, STREAMS)).input.getWriter();
  await writer.write(encoder.encode("a\x10\x11b"));
  assertEquals(kernel.processes.get(id)?.input.map((bytes) => decoder.decode(bytes)), ["a\x10\x11b"]);
});

Deno.test("Containers.attach() ends at the detach keys and leaves the container's input open", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec({ stdin: true, terminal: true }));
  await containers.start(id);
  const { output, input } = await containers.attach(id, STREAMS);
  const writer = input.getWriter();
  await writer.write(encoder.encode("ls\n\x10"));
  await writer.write(encoder.encode("\x11rm -rf\n"));
  assertEquals(await Array.fromAsync(output), []);
  await writer.close();
  assertEquals(kernel.processes.get(id)?.input.map((bytes) => decoder.decode(bytes)), ["ls\n"]);
  assertEquals(containers.resolve(id).state.status, "running");
});
