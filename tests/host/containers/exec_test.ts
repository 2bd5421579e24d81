/** Processes in running containers, by the real clients and by hand. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

/** Names of what is left of exec sessions. */
async function leftOvers(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${folder}/run/execs`));
  return entries.map(({ name }) => name);
}

Deno.test("podman --remote exec", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  await podman("run", "-d", "--name", "box", "--network=none", "-e", "BASE=yes", image, "sleep", "600");

  await t.step("gives output, error output and exit code", async () => {
    const result = await server.podman("exec", "box", "sh", "-c", "echo out; echo err >&2; exit 3");
    assertEquals([result.code, result.stdout, result.stderr.replace(/^Error:.*\n/m, "")], [3, "out\n", "err\n"]);
  });
  await t.step("honours -e, -w, -u", async () => {
    const out = await podman(
      ...["exec", "-e", "COLOR=blue", "-w", "/tmp", "-u", "1234:567", "box"],
      ...["sh", "-c", 'echo "$BASE $COLOR $(pwd) $(id -u):$(id -g)"'],
    );
    assertEquals(out, "yes blue /tmp 1234:567\n");
  });
  await t.step("another user gets no device of the host's as a standard stream", async () => {
    // The runtime gives them to the process's user.
    const script = "stat -L -c %t:%T:%a /dev/stdin; cat; echo nothing > /dev/stdin";
    assertEquals(await podman("exec", "-u", "33", "box", "sh", "-c", script), "1:3:666\n");
    await podman("exec", "-d", "-u", "9", "box", "sh", "-c", "echo nowhere; touch /tmp/ran");
    await until(async () => assertEquals(await podman("exec", "box", "ls", "/tmp/ran"), "/tmp/ran\n"));
    const checked = ["--health-cmd", "id -u", "--health-interval", "1s", "--user", "12"];
    await podman("run", "-d", "--name", "checked", "--network=none", ...checked, image, "sleep", "60");
    await until(async () => {
      assertEquals(await podman("inspect", "--format", "{{.State.Health.Status}}", "checked"), "healthy\n");
    });
    await podman("rm", "-f", "-t0", "checked");
    const { uid, gid, mode } = await Deno.stat("/dev/null");
    assertEquals([uid, gid, mode! & 0o777], [0, 0, 0o666]);
  });
  await t.step("-i carries input and ends with it", async () => {
    const options = { stdin: "line one\nline two\n" };
    const result = await server.podmanAt(server.addresses[0], ["exec", "-i", "box", "cat"], options);
    assertEquals([result.code, result.stdout], [0, "line one\nline two\n"]);
  });
  await t.step("-it gives a terminal", async () => {
    const command = server.podmanCommand(
      "exec",
      "-it",
      "box",
      "sh",
      "-c",
      "test -t 0 && echo tty-$((6*7)) $TERM; exit 5",
    );
    const result = await run(["script", "-qec", command.map((word) => `'${word}'`).join(" "), "/dev/null"], {
      env: { HOME: server.folder, XDG_RUNTIME_DIR: server.folder, TERM: "xterm" },
    });
    assertStringIncludes(result.stdout, "tty-42 xterm");
    assertEquals(result.code, 5);
  });
  await t.step("-d goes on behind the answer", async () => {
    const id = (await podman("exec", "-d", "box", "sh", "-c", "echo done > /tmp/flag; exit 7")).trim();
    assertMatch(id, /^[0-9a-f]{64}$/);
    await until(async () => assertEquals(await podman("exec", "box", "cat", "/tmp/flag"), "done\n"));
    await until(async () => {
      const { Running, ExitCode } = await (await server.request("GET", `/libpod/exec/${id}/json`)).json();
      assertEquals([Running, ExitCode], [false, 7]);
    });
  });
  await t.step("what cannot be run has the codes of a shell", async () => {
    const missing = await server.podman("exec", "box", "/no/such/command");
    assertEquals(missing.code, 127, missing.stderr);
    assertStringIncludes(missing.stderr, "/no/such/command");
    assertEquals((await server.podman("exec", "box", "/layers/kept")).code, 126);
    const stranger = await server.podman("exec", "-u", "stranger", "box", "true");
    assertStringIncludes(stranger.stderr, "unable to find user stranger");
    assertEquals(stranger.code, 125, "nothing was run");
  });
  await t.step("twenty at once keep apart", async () => {
    const outs = await Promise.all(
      Array.from({ length: 20 }, (_, i) => podman("exec", "box", "sh", "-c", `echo ${i}; seq 1 2000 | tail -1`)),
    );
    assertEquals(outs, Array.from({ length: 20 }, (_, i) => `${i}\n2000\n`));
  });
  await t.step("events tell of it", async () => {
    await podman("exec", "box", "true");
    const events = await podman("events", "--stream=false", "--filter", "container=box", "--format", "{{.Status}}");
    assertStringIncludes(events, "exec\nexec_died\n");
  });
  await t.step("nothing is left, and the container tells of its sessions", async () => {
    await until(async () => assertEquals(await leftOvers(server.folder), []));
    const execs = () => podman("inspect", "--format", "{{len .ExecIDs}}", "box");
    const before = Number(await execs());
    await podman("exec", "-d", "box", "sleep", "60");
    assertEquals(Number(await execs()), before + 1);
  });
  await t.step("a container that stops ends it", async () => {
    const running = server.podman("exec", "box", "sleep", "60");
    await until(async () => {
      const [{ ExecIDs }] = JSON.parse(await podman("inspect", "box"));
      const states = await Promise.all(
        ExecIDs.map(async (id: string) => (await server.request("GET", `/libpod/exec/${id}/json`)).json()),
      );
      assertEquals(states.filter(({ Pid, OpenStdout }) => Pid > 0 && OpenStdout).length, 2);
    });
    await podman("stop", "-t", "0", "box");
    assertEquals((await running).code, 137);
    const refused = await server.podman("exec", "box", "true");
    assertStringIncludes(refused.stderr, "can only create exec sessions on running containers");
    await until(async () => assertEquals(await leftOvers(server.folder), []));
    await podman("start", "box");
    assertEquals(await podman("inspect", "--format", "{{.ExecIDs}}", "box"), "[]\n");
  });
});

Deno.test("docker exec", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await docker("pull", image);
  await docker("run", "-d", "--name", "box", "--network=none", image, "sleep", "600");

  await t.step("gives output, error output and exit code", async () => {
    const result = await server.docker("exec", "box", "sh", "-c", "echo out; echo err >&2; exit 3");
    assertEquals([result.code, result.stdout, result.stderr], [3, "out\n", "err\n"]);
  });
  await t.step("honours -e, -w, -u, -i, -d", async () => {
    const words = ["-e", "COLOR=blue", "-w", "/tmp", "-u", "1234:567"];
    assertEquals(await docker("exec", ...words, "box", "sh", "-c", "echo $COLOR $(pwd) $(id -u)"), "blue /tmp 1234\n");
    const echoed = await run(["docker", "-H", server.addresses[0], "exec", "-i", "box", "cat"], { stdin: "typed\n" });
    assertEquals([echoed.code, echoed.stdout], [0, "typed\n"]);
    await docker("exec", "-d", "box", "sh", "-c", "echo yes > /tmp/flag");
    await until(async () => assertEquals(await docker("exec", "box", "cat", "/tmp/flag"), "yes\n"));
  });
  await t.step("-it gives a terminal", async () => {
    const command = `docker -H ${server.addresses[0]} exec -it box sh -c 'test -t 0 && echo tty-$((6*7)); exit 5'`;
    const result = await run(["script", "-qec", command, "/dev/null"], { env: { HOME: server.folder, TERM: "xterm" } });
    assertStringIncludes(result.stdout, "tty-42");
    assertEquals(result.code, 5);
  });
  await t.step("what cannot be run has the codes of a shell", async () => {
    assertEquals((await server.docker("exec", "box", "/no/such/command")).code, 127);
    assertEquals((await server.docker("exec", "box", "/layers/kept")).code, 126);
    assertEquals((await server.docker("exec", "-u", "stranger", "box", "true")).code, 126, "Docker has one code less");
    assertEquals((await server.docker("exec", "box", "sh", "-c", "exit 125")).code, 125);
  });
});

Deno.test("exec sessions refuse what cannot be, in Podman's words", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  ok(await server.podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "600"));
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await server.request(method, path, { body });
    const text = await reply.text();
    return { status: reply.status, ...text.startsWith("{") ? JSON.parse(text) : {} };
  };
  const unknown = "no exec session with ID nope found: no such exec session";
  for (const [method, what] of [["GET", "json"], ["POST", "start"], ["POST", "resize?h=1&w=1"]]) {
    for (const tree of ["/libpod", ""]) {
      const reply = await send(method, `${tree}/exec/nope/${what}`, method === "POST" ? {} : undefined);
      assertEquals([reply.status, reply.message, reply.cause], [404, unknown, "no such exec session"]);
    }
  }
  assertEquals((await send("POST", "/libpod/containers/nope/exec", { Cmd: ["true"] })).status, 404);
  assertEquals((await send("POST", "/libpod/containers/box/exec", { Cmd: [] })).status, 500);
  assertEquals((await send("POST", "/libpod/containers/box/exec", { Cmd: ["true"], Env: ["odd"] })).status, 400);
  const { Id, status } = await send("POST", "/libpod/containers/box/exec", { Cmd: ["sleep", "60"] });
  assertEquals(status, 201);
  assertEquals((await send("POST", `/libpod/exec/${Id}/start`, { Detach: true })).status, 200);
  const again = await send("POST", `/libpod/exec/${Id}/start`, { Detach: true });
  assertStringIncludes(again.message, "can only start created exec sessions");
  const removed = await send("POST", `/libpod/exec/${Id}/remove`, {});
  assertStringIncludes(removed.message, "is still running, cannot remove: exec session state improper");
  assertEquals((await send("POST", `/libpod/exec/${Id}/remove`, { Force: true })).status, 200);
  assertEquals((await send("GET", `/exec/${Id}/json`)).status, 404);
});

Deno.test("exec sessions of a paused container are refused", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const box = ok(await server.podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "600")).trim();
  const send = async (path: string, body: unknown) => {
    const reply = await server.request("POST", path, { body });
    return { status: reply.status, ...JSON.parse(await reply.text()) };
  };
  const late = await send("/libpod/containers/box/exec", { Cmd: ["true"] });
  ok(await server.podman("pause", "box"));
  const paused = await send("/containers/box/exec", { Cmd: ["true"] });
  assertEquals([paused.status, paused.cause], [409, "container state improper"]);
  const frozen = await send(`/exec/${late.Id}/start`, {});
  assertEquals(frozen.status, 409);
  assertStringIncludes(frozen.message, `cannot exec in a container that is not running; container ${box} is paused`);
  ok(await server.podman("unpause", "box"));
});

Deno.test(`exec cat carries ${isLongRun ? "1 GB" : "64 MB"} intact, whatever comes first`, async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  ok(await server.podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "600"));
  const create = { Cmd: ["cat"], AttachStdin: true, AttachStdout: true, AttachStderr: true };
  const { Id } = await (await server.request("POST", "/containers/box/exec", { body: create })).json();
  using socket = await Deno.connect({ transport: "unix", path: server.socket });
  const body = '{"Detach":false,"Tty":false}';
  const head = `POST /v1.44/exec/${Id}/start HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  // The first input comes in the packet of the body. It holds the keys that detach from a terminal.
  const first = new TextEncoder().encode("first \x10\x11\n");
  const sent = createHash("sha256").update(first);
  await writeAll(socket, new TextEncoder().encode(head + body + "first \x10\x11\n"));
  const total = isLongRun ? 1024 : 64;
  const feed = (async () => {
    const chunk = crypto.getRandomValues(new Uint8Array(65536));
    for (let i = 0; i < total * 16; i++) {
      new DataView(chunk.buffer).setUint32(0, i);
      sent.update(chunk);
      await writeAll(socket, chunk);
    }
    await socket.closeWrite();
  })();
  const received = createHash("sha256");
  let size = 0;
  for await (const { stream, data } of framesOf(socket)) {
    assertEquals(stream, 1);
    size += data.length;
    received.update(data);
  }
  await feed;
  assertEquals(size, total * 1024 * 1024 + first.length);
  assertEquals(received.digest("hex"), sent.digest("hex"));
  assertEquals((await (await server.request("GET", `/exec/${Id}/json`)).json()).ExitCode, 0);
});

Deno.test("exec sessions outlive a server that is killed", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  ok(await server.podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "600"));
  const create = async (Cmd: string[], rest = {}) => {
    const reply = await server.request("POST", "/libpod/containers/box/exec", { body: { Cmd, ...rest } });
    return (await reply.json()).Id as string;
  };
  // They end when the test says so: a loaded machine may take seconds to start all of them.
  const untilTold = "until test -e /told; do sleep 0.1; done";
  const detached = await create(["sh", "-c", `${untilTold}; exit 11`]);
  const lasting = await create(["sleep", "60"]);
  const terminal = await create(["sh", "-c", `${untilTold}; exit 12`], { Tty: true });
  const waiting = await create(["true"]);
  for (const id of [detached, lasting, terminal]) {
    assertEquals((await server.request("POST", `/libpod/exec/${id}/start`, { body: { Detach: true } })).status, 200);
  }
  const attached = server.podman("exec", "box", "sh", "-c", `${untilTold}; exit 13`);
  const all = async () => {
    const { ExecIDs } = await (await server.request("GET", "/libpod/containers/box/json")).json();
    return await Promise.all(
      ExecIDs.map(async (id: string) => (await server.request("GET", `/libpod/exec/${id}/json`)).json()),
    );
  };
  await until(async () => assertEquals((await all()).filter(({ Pid }) => Pid > 0).length, 4));
  await server.crash();
  const told = buildTar([{ type: "file", path: "told", content: "" }]);
  assertEquals((await server.request("PUT", "/libpod/containers/box/archive?path=/", { raw: told })).status, 200);
  // The client asks for the exit code for a moment: where the server is back by then it hears that the process still runs, and
  // takes that for success.
  await attached;
  await until(async () => {
    const states = new Map((await all()).map(({ ID, Running, ExitCode }) => [ID, [Running, ExitCode]]));
    assertEquals(states.get(detached), [false, 11]);
    assertEquals(states.get(terminal), [false, 12]);
    assertEquals(states.get(lasting), [true, 0]);
    assertEquals([...states.values()].map(([, code]) => code).sort(), [0, 0, 11, 12, 13]);
  });
  assertEquals((await server.request("POST", `/libpod/exec/${waiting}/start`, { body: { Detach: true } })).status, 200);
  await until(async () => assertEquals(await leftOvers(server.folder), [lasting]));
  ok(await server.podman("rm", "-f", "-t", "0", "box"));
  await until(async () => assertEquals(await leftOvers(server.folder), []));
  assertEquals((await server.request("GET", `/exec/${lasting}/json`)).status, 404);
});

async function writeAll(socket: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
}

/** The frames of a stream that follows a reply's head. */
async function* framesOf(socket: Deno.Conn): AsyncGenerator<{ stream: number; data: Uint8Array }> {
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array();
  let isBody = false;
  const buffer = new Uint8Array(65536);
  for (let read = await socket.read(buffer); read !== null; read = await socket.read(buffer)) {
    const chunk = buffer.subarray(0, read);
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    rest = joined;
    if (!isBody) {
      const end = new TextDecoder("latin1").decode(rest).indexOf("\r\n\r\n");
      if (end < 0) continue;
      assertMatch(new TextDecoder().decode(rest.subarray(0, end)), /^HTTP\/1.1 101 .*multiplexed-stream/s);
      rest = rest.slice(end + 4);
      isBody = true;
    }
    while (rest.length >= 8) {
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(4);
      if (rest.length < 8 + length) break;
      yield { stream: rest[0], data: rest.subarray(8, 8 + length) };
      rest = rest.subarray(8 + length);
    }
  }
  assertEquals(rest.length, 0, "whole frames only");
}
