/** Trees of containers as a whole, by the real clients: what changed in them, all of them, mounted. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { CLIENTS, startWithFiles } from "../../fixtures/files_session.ts";
import { Session } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";

Deno.test("podman diff and docker diff tell what changed", async () => {
  const { session, server, image } = await startWithFiles();
  await using _session = session;
  const script = "rm /layers/kept; echo new > /etc/new; mkdir -p /made/deep; echo x >> /opaque/upper";
  ok(await server.podman("run", "--name", "changed", "--network=none", image, "sh", "-c", script));
  const expected = [
    "C /etc",
    "A /etc/new",
    "C /layers",
    "D /layers/kept",
    "A /made",
    "A /made/deep",
    "C /opaque/upper",
  ];
  for (const client of CLIENTS) {
    const lines = ok(await server[client]("diff", "changed")).trim().split("\n");
    // Podman's client sorts what the mount points add.
    assertEquals(lines.filter((line) => expected.includes(line)).sort(), expected.toSorted());
    assert(!lines.some((line) => /\/(?:proc|sys|dev|etc\/hosts|run)$/.test(line)), lines.join());
  }
  const image1 =
    await (await server.request("GET", `/v4.0.0/libpod/containers/${encodeURIComponent(image)}/changes?diffType=image`))
      .json();
  assert(image1.some(({ Path, Kind }: { Path: string; Kind: number }) => Path === "/layers/gone" && Kind === 2));
  for (const command of [["image", "diff"], ["diff"]]) {
    assertStringIncludes(ok(await server.podman(...command, image)), "D /layers/gone\n");
  }
  const parent = (name: string) => `/v4.0.0/libpod/containers/changed/changes?parent=${encodeURIComponent(name)}`;
  const between: { Path: string; Kind: number }[] = await (await server.request("GET", parent("up"))).json();
  assert(between.some(({ Path, Kind }) => Path === "/layers/kept" && Kind === 2));
  assert((await server.request("GET", parent(image))).ok);
  assertStringIncludes((await (await server.request("GET", parent("nobody"))).json()).message, "nobody not found");
  const unknown = await server.request("GET", "/v4.0.0/libpod/containers/changed/changes?diffType=no");
  assertEquals([unknown.status, (await unknown.json()).message], [400, 'invalid diffType value "no"']);
});

Deno.test("podman export and docker export give the whole tree", async () => {
  const { session, server, files } = await startWithFiles();
  await using _session = session;
  ok(await server.podman("exec", "up", "sh", "-c", "echo mine > /mine; chown 7:8 /mine"));
  ok(await server.podman("cp", `${files}/plain`, "down:/plain"));
  ok(await server.podman("export", "-o", `${server.folder}/up.tar`, "up"));
  ok(await server.docker("export", "-o", `${server.folder}/down.tar`, "down"));
  const list = async (name: string) =>
    (await run(["tar", "--numeric-owner", "-tvf", `${server.folder}/${name}.tar`])).stdout;
  const up = await list("up");
  assert(/7\/8\s+5 .* mine\n/.test(up), up);
  assertStringIncludes(up, "bin/busybox");
  assert(!up.includes("proc/1"), "nothing of what is mounted inside");
  assertStringIncludes(await list("down"), " plain\n");
});

Deno.test("mounts of trees are counted, outlast the engine, and go with the container", async () => {
  const { session, server } = await startWithFiles();
  await using _session = session;
  const call = (method: string, path: string) => server.request(method, `/v4.0.0/libpod/containers/${path}`);
  const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
  const first = (await (await call("POST", "down/mount")).text()).trim();
  assertEquals((await (await call("POST", "down/mount")).text()).trim(), first);
  await Deno.writeTextFile(`${first}/outside`, "x");
  await server.crash();
  assertEquals((await (await call("GET", "showmounted")).json())[id], first);
  assertEquals((await call("POST", "down/unmount")).status, 204);
  ok(await server.podman("cp", "down:/outside", `${server.folder}/copy`));
  assertEquals(await Deno.readTextFile(`${first}/outside`), "x");
  assertEquals((await call("POST", "down/unmount")).status, 204);
  assertEquals([...Deno.readDirSync(first)], []);
  assertEquals((await (await call("GET", "showmounted")).json())[id], undefined);
  const running = await call("POST", "up/unmount");
  assertEquals(running.status, 500);
  assertStringIncludes((await running.json()).message, "as it is running or paused");
  // What runs is mounted, and a user's mount of it outlasts its end.
  const path = (await (await call("POST", "up/mount")).text()).trim();
  ok(await server.podman("stop", "-t", "0", "up"));
  assert((await Deno.stat(`${path}/bin`)).isDirectory);
  ok(await server.podman("rm", "up"));
  await call("POST", "down/mount");
  ok(await server.podman("rm", "-f", "down"));
  assertEquals(traces(server.folder, [id]).mounts, []);
});

Deno.test("a container of Docker's tree has /.dockerenv, which is no change of its own and in no image of it", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await docker("pull", "-q", image);
  const once = ["run", "--rm", "--network=none"];
  const marks = ["sh", "-c", "ls -A / | grep env; ls /run/.containerenv"];

  await t.step("it is there, also with a read-only root, other users' IDs and a volume on every folder", async () => {
    const look = ["stat", "-c", "%A %s %u", "/.dockerenv"];
    assertEquals(await docker(...once, image, ...look), "-rwxr-xr-x 0 0\n");
    assertEquals(await docker(...once, "--read-only", image, ...look), "-rwxr-xr-x 0 0\n");
    assertEquals(await docker(...once, "--user=1000", "--tmpfs=/run", image, ...look), "-rwxr-xr-x 0 0\n");
    const folder = `${server.folder}/bound`;
    await Deno.mkdir(folder);
    const binds = ["/root", "/run", "/home"].flatMap((place) => ["-v", `${folder}:${place}`]);
    assertEquals(await docker(...once, ...binds, image, ...look), "-rwxr-xr-x 0 0\n");
    assertEquals([...Deno.readDirSync(folder)], []);
  });
  await t.step("a program may delete it, as in Docker; no diff or commit shows it", async () => {
    await docker(
      "create",
      "--name",
      "marked",
      "--network=none",
      image,
      "sh",
      "-c",
      "test -f /.dockerenv && touch /own",
    );
    await docker("start", "-a", "marked");
    // The image has no /etc/mtab.
    assertEquals(await docker("diff", "marked"), "C /etc\nA /own\n");
    await docker("commit", "marked", "of-marked");
    await podman("commit", "-q", "-s", "marked", "squashed");
    for (const made of ["of-marked", "squashed"]) {
      assertEquals(await podman(...once, made, "sh", "-c", "ls -A / | grep -e env -e own"), "own\n");
    }
    // A program that wrote to it has changed it.
    await docker("run", "--name", "writer", "--network=none", image, "sh", "-c", "echo mine > /.dockerenv");
    await docker("commit", "writer", "of-writer");
    assertEquals(await podman(...once, "of-writer", "cat", "/.dockerenv"), "mine\n");
    assertEquals(await docker(...once, image, "sh", "-c", "rm /.dockerenv && echo gone"), "gone\n");
  });
  await t.step("the archive of the whole tree has it, as Docker's", async () => {
    await docker("export", "-o", `${server.folder}/marked.tar`, "marked");
    const names = ok(await run(["tar", "-tf", `${server.folder}/marked.tar`])).split("\n");
    assertEquals(names.filter((name) => name.includes("dockerenv")), [".dockerenv"]);
  });
  await t.step("Podman's have /run/.containerenv alone, and a build's layers neither", async () => {
    assertEquals(await podman(...once, image, ...marks), "/run/.containerenv\n");
    assertEquals(await docker(...once, image, ...marks), ".dockerenv\n/run/.containerenv\n");
    const context = `${server.folder}/context`;
    await Deno.mkdir(context);
    await Deno.writeTextFile(`${context}/Dockerfile`, `FROM ${image}\nRUN touch /built\n`);
    const env = { DOCKER_HOST: server.addresses[0], DOCKER_BUILDKIT: "0" };
    ok(await run(["docker", "build", "-q", "-t", "classic", context], { env }), "build");
    assertEquals(await podman(...once, "classic", "sh", "-c", "ls -A / | grep -e env -e built"), "built\n");
  });
});
