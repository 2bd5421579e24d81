/** Streams of containers: what they cost, and what clients that leave in the middle of one leave behind. */
import { assert, assertEquals } from "@std/assert";
import { memoryOf, STREAM_ROOM, streamMemory } from "../../fixtures/memory.ts";
import { ok, run } from "../../fixtures/run.ts";
import { startWithFiles } from "../../fixtures/files_session.ts";
import { Session, until } from "../../fixtures/session.ts";
import { fileAgents, traces } from "../../fixtures/traces.ts";
import { isLongRun } from "../../long_run.ts";

Deno.test("exec and attach carry streams of any size in 64 MB above idle, and logs cost little more", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  ok(await server.podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "600"));
  const env = { HOME: server.folder, XDG_RUNTIME_DIR: server.folder };
  const count = async (size: number, before: string, ...command: string[]) => {
    const line = `${before} "$@" | wc -c`;
    const { stdout } = await run(["sh", "-c", line, "sh", ...server.podmanCommand(...command)], { env });
    assertEquals(stdout.trim(), String(size));
  };
  const sizes = isLongRun ? { out: 2e9, through: 1e9, log: 4e8 } : { out: 2e8, through: 1e8, log: 4e7 };
  const lines = `yes ${"x".repeat(79)} | head -n ${sizes.log / 80}`;
  ok(await server.podman("create", "--name", "talks", "--network=none", image, "sh", "-c", lines));
  ok(await server.podman("start", "talks"));
  ok(await server.podman("wait", "talks"));
  const above = await streamMemory(server.pid, async () => {
    await count(sizes.out, "", "exec", "box", "head", "-c", String(sizes.out), "/dev/zero");
    const feed = `head -c ${sizes.through} /dev/zero |`;
    await count(sizes.through, feed, "exec", "-i", "box", "cat");
    await count(sizes.through, feed, "run", "--rm", "-i", "--network=none", image, "cat");
  });
  assert(above < STREAM_ROOM, `${above} MB above idle`);
  const read = await memoryOf(server.pid, async () => {
    await count(sizes.log, "", "logs", "talks");
    const attached = `/containers/talks/attach?logs=true&stream=false&stdout=true`;
    const { stdout } = await run([
      "sh",
      "-c",
      `curl -sX POST --unix-socket ${server.socket} "http://d${attached}" | wc -c`,
    ]);
    assert(Number(stdout) > sizes.log, stdout);
  });
  // Millions of lines make V8's young generation as large as it gets: 48 MB, once.
  assert(read < STREAM_ROOM + 48, `${read} MB above idle`);
});

/** Bytes of a file that no socket holds whole. */
const LARGE = 20e6;

Deno.test("clients that leave in the middle of a copy, an export or an exec leave nothing behind, and cost nothing", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  const send = async (head: string, body = "") => {
    const socket = await Deno.connect({ transport: "unix", path: server.socket });
    await writeAll(socket, new TextEncoder().encode(`${head} HTTP/1.1\r\nHost: d\r\n${body}`));
    return socket;
  };
  const create = { Cmd: ["cat", "/dev/zero"], AttachStdin: true, AttachStdout: true };
  const exec = async () => {
    const { Id } = await (await server.request("POST", "/containers/up/exec", { body: create })).json();
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    return await send(`POST /exec/${Id}/start`, upgrade);
  };
  const fill = `dd if=/dev/zero bs=1M count=${LARGE / 1e6} 2>/dev/null | (cd ${server.folder} && cat > large)`;
  ok(await run(["sh", "-c", fill]));
  for (const name of ["up", "down"]) ok(await server.podman("cp", `${server.folder}/large`, `${name}:/large`));
  const before = traces(server.folder);
  const chunk = `Transfer-Encoding: chunked\r\n\r\n`;
  const streams = ["up", "down"].flatMap((name) => {
    const at = `/v4.0.0/libpod/containers/${name}`;
    return [
      () => send(`GET ${at}/archive?path=/large`, "\r\n"),
      () => send(`GET ${at}/export`, "\r\n"),
      () => send(`PUT ${at}/archive?path=/tmp`, chunk),
      () => send(`PUT ${at}/archive?path=/tmp`, `${chunk}200\r\n${"x".repeat(100)}`),
    ];
  });
  const above = await streamMemory(server.pid, async () => {
    for (const wait of [0, 100]) {
      const sockets = await Promise.all([...streams, ...streams, exec, exec].map((open) => open()));
      await new Promise((resolve) => setTimeout(resolve, wait));
      for (const socket of sockets) socket.close();
    }
    // The processes go on: what they write has nobody to read it, and is dropped.
    await until(() => {
      assertEquals(traces(server.folder).mounts, before.mounts);
      assertEquals(fileAgents(server.folder), []);
      return Promise.resolve();
    });
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });
  assert(above < STREAM_ROOM, `${above} MB above idle`);
  assert(ok(await server.podman("top", "up", "args")).includes("cat /dev/zero"));
});

async function writeAll(socket: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
}
