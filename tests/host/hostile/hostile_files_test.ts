/** Files of containers that do their worst meanwhile, archives that are none, and ends that come too soon. */
import { assert, assertEquals } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { STREAM_ROOM, streamMemory } from "../../fixtures/memory.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { startWithFiles } from "../../fixtures/files_session.ts";
import { until } from "../../fixtures/session.ts";
import { fileAgents, traces } from "../../fixtures/traces.ts";
import { isLongRun } from "../../long_run.ts";

Deno.test("a container that flips a link while files are copied leads nobody out of it", async () => {
  const { session, server, image } = await startWithFiles();
  await using _session = session;
  const outside = `${server.folder}/outside`;
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/secret`, "of the host");
  const flip = `mkdir -p /real; echo inner > /real/secret; while true; do
    ln -sfn ${outside} /way; ln -sfn /proc/1/root${outside} /way; rm /way; mkdir /way; echo inner > /way/secret; rm -r /way; done`;
  ok(await server.podman("run", "-d", "--name", "flips", "--pid=host", "--network=none", image, "sh", "-c", flip));
  // ASCII throughout.
  const pack = (path: string) => new TextDecoder().decode(buildTar([{ type: "file", path, content: "in" }]));
  const put = (path: string) => ({ raw: pack(path), headers: { "content-type": "application/x-tar" } });
  const base = "/v4.0.0/libpod/containers/flips/archive?path=";
  const rounds = isLongRun ? 1000 : 60;
  const outcomes = { read: 0, refused: 0 };
  const bothSeen = () => outcomes.read > 0 && outcomes.refused > 0;
  for (let round = 0; round < rounds || !bothSeen(); round++) {
    assert(round < 10 * rounds, `the copies meet every state of the link: ${JSON.stringify(outcomes)}`);
    const [file, folder] = await Promise.all([
      server.request("GET", `${base}/way/secret`),
      server.request("GET", `${base}/way`),
      server.request("PUT", `${base}/way`, put("secret")),
      server.request("PUT", `${base}/`, put("way/secret")),
    ]);
    outcomes[file.status === 200 ? "read" : "refused"]++;
    for (const reply of [file, folder]) {
      // The connection of a copy that fails half-way is cut.
      const text = await reply.text().catch(() => "");
      assert(!text.includes("of the host"), "the secret was read");
    }
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
    assertEquals(await Deno.readTextFile(`${outside}/secret`), "of the host");
  }
});

Deno.test("a tree is read while its container changes it", async () => {
  const { session, server, image } = await startWithFiles();
  await using _session = session;
  const script = `mkdir /c; i=0; while true; do i=$((i+1)); d=/c/$((i%20)); rm -rf $d; mkdir -p $d/a/b; echo $i > $d/1;
    dd if=/dev/zero of=$d/big bs=64k count=20 2>/dev/null; : > $d/big; rm -rf $d; ln -s /etc $d; rm $d; mkfifo $d; rm $d; done`;
  ok(await server.podman("run", "-d", "--name", "busy", "--network=none", image, "sh", "-c", script));
  const tar = `${server.folder}/busy.tar`;
  for (let round = 0; round < (isLongRun ? 40 : 4); round++) {
    ok(await server.podman("export", "-o", tar, "busy"));
    ok(await run(["tar", "-tf", tar]));
    ok(await server.podman("commit", "-q", "busy", "busy:latest"));
    ok(await server.docker("cp", "busy:/c", `${server.folder}/busy-${round}`));
    ok(await server.docker("diff", "busy"));
  }
  ok(await server.podman("run", "--rm", "--network=none", "busy:latest", "ls", "/c"));
});

Deno.test("what is mounted in a folder is not deleted with it", async () => {
  const { session, server, image } = await startWithFiles();
  await using _session = session;
  const binds = ["-v", "kept:/data/deep/kept", "--network=none"];
  ok(await server.podman("run", "-d", "--name", "holds", ...binds, image, "sleep", "1000"));
  ok(await server.podman("exec", "holds", "sh", "-c", "echo 1 > /data/deep/kept/one; echo 2 > /data/two"));
  const raw = new TextDecoder().decode(buildTar([{ type: "file", path: "data", content: "x" }]));
  const put = await server.request("PUT", "/v4.0.0/libpod/containers/holds/archive?path=/", {
    raw,
    headers: { "content-type": "application/x-tar" },
  });
  assertEquals(put.status, 400);
  assert((await put.json()).message.includes("device or resource busy"));
  assertEquals(ok(await server.podman("exec", "holds", "cat", "/data/deep/kept/one", "/data/two")), "1\n2\n");
});

Deno.test("SIGKILL of the server in the middle of a copy leaves nothing mounted", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
  const fill = `dd if=/dev/zero bs=1M count=200 2>/dev/null | (cd ${server.folder} && cat > big)`;
  await run(["sh", "-c", fill]);
  const copy = server.podman("cp", `${server.folder}/big`, "down:/big");
  await new Promise((resolve) => setTimeout(resolve, 150));
  await server.crash();
  await copy;
  assertEquals(traces(server.folder, [id]).mounts.filter((mount) => mount.includes(id)), []);
  ok(await server.podman("cp", `${server.folder}/big`, "down:/big"));
});

Deno.test("archives that are none are refused as the client's mistake", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  const text = (tar: Uint8Array) => new TextDecoder().decode(tar);
  const bad = {
    "no tar": "x".repeat(2048),
    "half of one": text(buildTar([{ type: "file", path: "x", content: "y".repeat(5000) }])).slice(0, 2000),
    "a huge header": text(buildTar([{ type: "flag", path: "x", flag: "x", content: "y".repeat(2 ** 21) }])).slice(
      0,
      1024,
    ),
    "a link to nowhere": text(buildTar([{ type: "hardlink", path: "x", target: "not/there" }])),
  };
  for (const tree of ["/v4.0.0/libpod", "/v1.41"]) {
    for (const name of ["up", "down"]) {
      for (const [what, raw] of Object.entries(bad)) {
        const path = `${tree}/containers/${name}/archive?path=/tmp`;
        const reply = await server.request("PUT", path, { raw, headers: { "content-type": "application/x-tar" } });
        const { message, response } = await reply.json();
        assertEquals([reply.status, response], [400, 400], `${what}: ${message}`);
      }
      const path = `${tree}/containers/${name}/archive`;
      assertEquals((await server.request("GET", path)).status, 400);
      assertEquals((await server.request("GET", `${path}?path=/no/such`)).status, 404);
      assertEquals((await server.request("HEAD", `${path}?path=/etc/*`)).status, 404);
      const rename = await server.request("PUT", `${path}?path=/tmp&rename=[1]`, { raw: "" });
      assertEquals(rename.status, 400);
    }
    assertEquals((await server.request("PUT", `${tree}/containers/nobody/archive?path=/`, { raw: "" })).status, 404);
  }
});

Deno.test("a container that is removed while files are copied into it is not told to have them", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  using socket = await Deno.connect({ transport: "unix", path: server.socket });
  const tar = buildTar([{ type: "file", path: "late", content: "x".repeat(5000) }]);
  const head = `PUT /v4.0.0/libpod/containers/up/archive?path=/tmp HTTP/1.1\r\nHost: d\r\nConnection: close\r\n` +
    `Content-Length: ${tar.length}\r\n\r\n`;
  await socket.write(new TextEncoder().encode(head));
  await socket.write(tar.subarray(0, 2000));
  await until(() => Promise.resolve(assert(fileAgents(server.folder).some((name) => name.startsWith("gantry: put ")))));
  ok(await server.podman("rm", "-f", "-t", "0", "up"));
  await socket.write(tar.subarray(2000));
  const reply = await new Response(socket.readable).text();
  assert(reply.startsWith("HTTP/1.1 500") && reply.includes("were removed while they were written"), reply);
});

Deno.test("what the kernel lets nobody read is left out of a copy, which is whole otherwise", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  assertEquals((await Deno.stat("/sys/bus/platform/drivers_probe")).mode! & 0o777, 0o200);
  const listing = await run(["sh", "-c", "docker -H $0 cp up:/sys/bus/platform - | tar t", server.addresses[0]]);
  const names = ok(listing).split("\n");
  assert(names.includes("platform/drivers_autoprobe"));
  assert(!names.includes("platform/drivers_probe"));
});

/** Megabytes of the file that is copied: twice what a stream may cost, at the least. */
const SIZE = isLongRun ? 1024 : 128;
/** Bytes of the file that is put packed. */
const ZEROS = isLongRun ? 400_000_000 : 200_000_000;

Deno.test(`${SIZE} MB are copied both ways in 64 MB above idle`, async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  const big = `${server.folder}/big`;
  ok(await run(["dd", "if=/dev/urandom", `of=${big}`, "bs=1M", `count=${SIZE}`]));
  const both = async (name: string) => {
    ok(await server.podman("cp", big, `${name}:/big`));
    ok(await server.docker("cp", `${name}:/big`, `${big}-${name}`));
    ok(await run(["cmp", big, `${big}-${name}`]));
  };
  const above = await streamMemory(server.pid, async () => {
    for (let round = 0; round < (isLongRun ? 3 : 1); round++) for (const name of ["down", "up"]) await both(name);
  });
  assert(above < STREAM_ROOM, `${above} MB above idle`);
  const packed = await streamMemory(server.pid, async () => {
    const make = "cd $0 && head -c $1 /dev/zero > zeros && tar -czf zeros.tgz zeros && rm zeros";
    ok(await run(["sh", "-c", make, server.folder, String(ZEROS)]));
    const url = "http://d/containers/up/archive?path=/tmp";
    const put = ["curl", "-sf", "--unix-socket", server.socket, "-T", `${server.folder}/zeros.tgz`, url];
    ok(await run([...put, "-H", "Content-Type: application/x-tar"]));
    assertEquals(ok(await server.podman("exec", "up", "stat", "-c", "%s", "/tmp/zeros")), `${ZEROS}\n`);
  });
  assert(packed < STREAM_ROOM, `${packed} MB above idle`);
  const exported = await streamMemory(server.pid, async () => {
    ok(await server.podman("export", "-o", `${server.folder}/all.tar`, "up"));
  });
  assert(exported < STREAM_ROOM, `${exported} MB above idle`);
});
