import { assertEquals } from "@std/assert";
import type { Platform, UpgradeInit } from "../../lib/rest/mod.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../fixtures/handlers/test_engine.ts";
import { untilTrue } from "../fixtures/until_true.ts";

const ATTACH = { AttachStdin: true, AttachStdout: true, AttachStderr: true };

/** A connection whose far end the test holds. */
function connection() {
  const up = new TransformStream<Uint8Array, Uint8Array>();
  const down = new TransformStream<Uint8Array, Uint8Array>();
  const announced: UpgradeInit[] = [];
  const platform: Platform = {
    upgrade(init = {}) {
      announced.push(init);
      return { readable: up.readable, writable: down.writable, response: new Response(null) };
    },
  };
  return { platform, announced, input: up.writable.getWriter(), output: down.readable };
}

async function session(test: TestEngine, body: Record<string, unknown>): Promise<string> {
  await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "box" });
  await test.engine.containers.start("box");
  const reply = await test.send("POST", "/containers/box/exec", { ...ATTACH, ...body });
  return (await reply.json()).Id;
}

function start(path: string, body: unknown = {}, headers: HeadersInit = { Connection: "Upgrade", Upgrade: "tcp" }) {
  return new Request(`http://d${path}`, { method: "POST", body: JSON.stringify(body), headers });
}

Deno.test("ExecStartHandler() takes the connection over, frames output and passes input on", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["serve"] });
  const { platform, announced, input, output } = connection();
  await test.serve(start(`/v4.7.0/libpod/exec/${id}/start`), platform);
  assertEquals(announced[0].status, 101);
  const type = new Headers(announced[0].headers).get("content-type");
  assertEquals(type, "application/vnd.docker.multiplexed-stream");
  await input.write(new TextEncoder().encode("typed"));
  await input.close();
  await untilTrue(() => test.kernel.execs.get(id)?.isInputClosed === true);
  test.kernel.execs.get(id)!.output!.enqueue({ stream: "stderr", data: new TextEncoder().encode("err") });
  test.kernel.endExec(id, 3);
  assertEquals([...new Uint8Array(await new Response(output).arrayBuffer())], [2, 0, 0, 0, 0, 0, 0, 3, 101, 114, 114]);
  const { Running, ExitCode, CanRemove } = await (await test.send("GET", `/exec/${id}/json`)).json();
  assertEquals([Running, ExitCode, CanRemove], [false, 3, true]);
});

Deno.test("ExecStartHandler() answers 200 without an upgrade, and a terminal's bytes as they are", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["serve"], Tty: true });
  const { platform, announced, output } = connection();
  await test.serve(start(`/v1.44/exec/${id}/start`, { Tty: true, ConsoleSize: [30, 40] }, {}), platform);
  assertEquals(announced[0].status, 200);
  assertEquals(new Headers(announced[0].headers).get("content-type"), "application/vnd.docker.raw-stream");
  await untilTrue(() => test.kernel.execs.get(id)?.output !== undefined);
  assertEquals(test.kernel.execs.get(id)!.options.size, { height: 30, width: 40 });
  test.kernel.execs.get(id)!.output!.enqueue({ stream: "stdout", data: new TextEncoder().encode("raw") });
  test.kernel.endExec(id, 0);
  assertEquals(await new Response(output).text(), "raw");
});

// docker-py asks for the terminal when it makes a session, and starts it without the word.
Deno.test("CompatExecStartHandler() sends frames or bytes as the start asks, whether or not the session has a terminal", async () => {
  const said = async (made: { Tty: boolean }, asked: object) => {
    await using test = await openTestEngine();
    const id = await session(test, { Cmd: ["serve"], ...made });
    const { platform, announced, output } = connection();
    await test.serve(start(`/v1.51/exec/${id}/start`, asked), platform);
    await untilTrue(() => test.kernel.execs.get(id)?.output !== undefined);
    test.kernel.execs.get(id)!.output!.enqueue({ stream: "stdout", data: new TextEncoder().encode("said") });
    test.kernel.endExec(id, 0);
    const type = new Headers(announced[0].headers).get("content-type");
    return [type, JSON.stringify(await new Response(output).text())];
  };
  const framed = ["application/vnd.docker.multiplexed-stream", JSON.stringify("\x01\0\0\0\0\0\0\x04said")];
  const raw = ["application/vnd.docker.raw-stream", '"said"'];
  assertEquals(await said({ Tty: true }, {}), framed);
  assertEquals(await said({ Tty: true }, { Tty: true }), raw);
  assertEquals(await said({ Tty: false }, { Tty: false }), framed);
  assertEquals(await said({ Tty: false }, { Tty: true }), raw);
});

Deno.test("ExecStartHandler() tells in the stream what cannot be run, and keeps the code", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["missing"] });
  const { platform, output } = connection();
  await test.serve(start(`/exec/${id}/start`), platform);
  assertEquals((await new Response(output).text()).slice(8), 'Error: exec: "missing": not found in $PATH\n');
  assertEquals((await (await test.send("GET", `/exec/${id}/json`)).json()).ExitCode, 127);
});

Deno.test("ExecStartHandler() runs nothing where the runtime cannot take the connection over", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["serve"] });
  assertEquals((await test.serve(start(`/exec/${id}/start`))).status, 501);
  assertEquals(test.engine.containers.execs.inspect(id).status, "created");
});

Deno.test("resize takes what a terminal can be, and nothing else", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["serve"], Tty: true });
  await test.engine.containers.execs.start(id, { detach: true });
  for (const path of ["/containers/box", "/libpod/containers/box", `/exec/${id}`, `/libpod/exec/${id}`]) {
    const status = async (query: string) => (await test.send("POST", `${path}/resize?${query}`)).status;
    assertEquals((await status("h=65535&w=20")) < 300, true, path);
    for (const query of ["h=-1&w=20", "h=20&w=65536", "h=x&w=1"]) assertEquals(await status(query), 400, path + query);
  }
});

Deno.test("CompatExecInspectHandler() has no exit code while there is none, and a new size of the terminal is answered 200", async () => {
  await using test = await openTestEngine();
  const id = await session(test, { Cmd: ["serve"], Tty: true });
  const code = async () => (await (await test.send("GET", `/v1.50/exec/${id}/json`)).json()).ExitCode;
  assertEquals(await code(), null);
  const { platform } = connection();
  await test.serve(start(`/v1.50/exec/${id}/start`, { Tty: true }), platform);
  assertEquals(await code(), null);
  assertEquals((await test.send("POST", `/v1.50/exec/${id}/resize?h=10&w=20`)).status, 200);
  assertEquals((await (await test.send("GET", `/libpod/exec/${id}/json`)).json()).ExitCode, 0);
});

Deno.test("a container that is being stopped is up and takes sessions in Docker's tree, and not in the native one", async () => {
  await using test = await openTestEngine();
  const { containers } = test.engine;
  const { Id } = await (await test.send("POST", "/containers/create", { Image: TINY_NAME, Cmd: ["stubborn"] })).json();
  await test.send("POST", `/containers/${Id}/start`);
  const body = { Cmd: ["serve"] };
  const before = await (await test.send("POST", `/libpod/containers/${Id}/exec`, body)).json();
  const stop = containers.stop(Id, { timeout: 30 });
  while (containers.resolve(Id).state.status !== "stopping") await Promise.resolve();
  const [listed] = await (await test.send("GET", "/containers/json")).json();
  assertEquals([listed.State, /^Up /.test(listed.Status)], ["running", true]);
  const made = await test.send("POST", `/containers/${Id}/exec`, body);
  const refused = await test.send("POST", `/libpod/containers/${Id}/exec`, body);
  assertEquals([made.status, refused.status], [201, 409]);
  const start = (id: string) => test.send("POST", `/exec/${id}/start`, { Detach: true });
  assertEquals([(await start((await made.json()).Id)).status, (await start(before.Id)).status], [200, 409]);
  await stop;
  assertEquals((await test.send("POST", `/containers/${Id}/exec`, body)).status, 409);
});
