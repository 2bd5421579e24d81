/** What Podman 5.8's clients rely on in containers, on a real host. */
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ok } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

Deno.test("containers look and answer as Podman 5.8's do", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const run = (...args: string[]) => podman("run", "--rm", "--network=none", ...args);
  const inspect = async (name: string) => JSON.parse(await podman("inspect", name))[0];
  // Fields that Debian's client does not know.
  const createByAPI = async (body: unknown) => {
    const reply = await server.request("POST", "/v5.0.0/libpod/containers/create", { body });
    assertEquals(reply.status, 201, await reply.clone().text());
  };
  /** The numbers of this machine's programs that speak for a client to a container's attach socket, in its folder. */
  const attachedTo = async (name: string) => {
    const { Id } = await inspect(name);
    const pids = [...Deno.readDirSync("/proc")].map((entry) => entry.name).filter((text) => /^[0-9]+$/.test(text));
    const folders = await Promise.all(pids.map((pid) => Deno.readLink(`/proc/${pid}/cwd`).catch(() => "")));
    const commands = await Promise.all(pids.map((pid) => Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "")));
    return pids.filter((_, i) => folders[i]!.includes(Id) && /^[^\0]*perl\0/.test(commands[i]!));
  };
  const folder = `${server.folder}/shared`;
  await Deno.mkdir(folder);
  await podman("pull", "-q", image);

  await t.step("a mount below a missing --workdir makes it, and without one it is an error", async () => {
    assertEquals(await run("-v", `${folder}:/place/data`, "-w", "/place", image, "pwd"), "/place\n");
    const missing = await server.podman("run", "--rm", "--network=none", "-w", "/place", image, "pwd");
    assertStringIncludes(missing.stderr, 'workdir "/place" does not exist');
  });
  await t.step("-v FOLDER:/run leaves nothing in the folder", async () => {
    assertEquals(await run("-v", `${folder}:/run`, image, "ls", "-A", "/run"), "");
    assertEquals([...Deno.readDirSync(folder)], []);
    assertEquals(await run("--tmpfs", "/run", image, "ls", "-A", "/run"), ".containerenv\n");
  });
  await t.step("--privileged --systemd=always has no virtual console of the host", async () => {
    const consoles = "ls /dev | grep -c '^tty[0-9]' || true";
    assertEquals(await run("--privileged", "--systemd=always", image, "sh", "-c", consoles), "0\n");
    const host = [...Deno.readDirSync("/dev")].filter(({ name }) => /^tty[0-9]/.test(name)).length;
    assertEquals(await run("--privileged", image, "sh", "-c", consoles), `${host}\n`);
  });
  await t.step("--read-only --read-only-tmpfs=false leaves no place to write to", async () => {
    const tries =
      "for f in /dev/x /dev/shm/x /tmp/x /x; do touch $f 2>/dev/null && echo $f; done; echo tried >/dev/null";
    const container = { image, command: ["sh", "-c", tries], netns: { nsmode: "none" }, read_only_filesystem: true };
    const written = async (name: string, read_write_tmpfs: boolean) => {
      await createByAPI({ ...container, name, read_write_tmpfs });
      return await podman("start", "-a", name);
    };
    assertEquals(await written("shut", false), "");
    assertEquals(await written("scratch", true), "/dev/x\n/dev/shm/x\n/tmp/x\n");
  });
  await t.step("the root folder of an image whose layers name none has mode 0555", async () => {
    assertEquals(await run(image, "stat", "-c", "%a", "/"), "555\n");
  });
  await t.step("inspection of a container without networks, and of one with the host's", async () => {
    await podman("run", "-d", "--name", "lone", "--network=none", image, "sleep", "1000");
    const { NetworkSettings, State } = await inspect("lone");
    assertEquals([NetworkSettings.SandboxKey, Object.keys(NetworkSettings.Networks)], [`/proc/${State.Pid}/ns/net`, [
      "none",
    ]]);
    await podman("rm", "-f", "-t", "0", "lone");
    await podman("create", "--name", "lone", "--network=host", image, "true");
    const { NetworkSettings: shared } = await inspect("lone");
    assertEquals([shared.SandboxKey, Object.keys(shared.Networks)], ["", ["host"]]);
  });
  await t.step("Docker's inspection has the entry point as the path", async () => {
    await podman("create", "--name", "entered", "--entrypoint", '["/bin/echo","one"]', image, "two");
    const { Path, Args } = await (await server.request("GET", "/v1.44/containers/entered/json")).json();
    assertEquals([Path, Args], ["/bin/echo", ["one", "two"]]);
  });
  await t.step("an exec's output comes in the order in which it was written", async () => {
    await podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "1000");
    const both = async (script: string) => {
      const created = await server.request("POST", "/libpod/containers/box/exec", {
        body: { AttachStdout: true, AttachStderr: true, Cmd: ["sh", "-c", script] },
      });
      const { Id } = await created.json();
      const reply = await server.request("POST", `/libpod/exec/${Id}/start`, { body: { Detach: false } });
      // Between the words stand the heads of frames.
      return (await reply.text()).match(/out|err/g);
    };
    for (let i = 0; i < 4; i++) {
      assertEquals(await both("echo out; echo err >&2"), ["out", "err"]);
      assertEquals(await both("echo err >&2; echo out"), ["err", "out"]);
    }
  });
  await t.step("a health check's output is kept in the order in which it was written", async () => {
    const check = ["--health-cmd", "echo out; echo err >&2; echo more", "--health-interval=disable"];
    await podman("run", "-d", "--name", "checked", "--network=none", ...check, image, "sleep", "1000");
    for (let i = 0; i < 4; i++) await podman("healthcheck", "run", "checked");
    const { Log } = (await inspect("checked")).State.Health;
    assertEquals(Log.map(({ Output }: { Output: string }) => Output), Array(4).fill("out\nerr\nmore\n"));
    await podman("rm", "-f", "-t", "0", "checked");
  });
  await t.step(
    "docker attach --sig-proxy=false is over when its client is killed, and the container goes on",
    async () => {
      await podman(
        "run",
        "-d",
        "--name",
        "watched",
        "--network=none",
        image,
        "sh",
        "-c",
        "while sleep 0.1; do echo on; done",
      );
      const client = new Deno.Command("docker", {
        args: ["-H", server.addresses[0], "attach", "--sig-proxy=false", "watched"],
        env: { HOME: server.folder },
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const reader = client.stdout.getReader();
      assertStringIncludes(new TextDecoder().decode((await reader.read()).value), "on");
      assertEquals((await attachedTo("watched")).length, 1);
      client.kill("SIGKILL");
      await client.status;
      await reader.cancel();
      await until(async () => assertEquals(await attachedTo("watched"), []));
      assertEquals((await inspect("watched")).State.Running, true);
      await podman("rm", "-f", "-t", "0", "watched");
    },
  );
  await t.step("kill takes a signal as kill(1) does", async () => {
    for (const signal of ["-0", "-CONT", "-SIGCONT", "-18"]) {
      const reply = await server.request("POST", `/libpod/containers/box/kill?signal=${signal}`);
      assertEquals(reply.status, 204, signal);
    }
    const odd = await server.request("POST", "/libpod/containers/box/kill?signal=-ODD");
    assertEquals([odd.status, (await odd.json()).message], [400, "invalid signal: -ODD"]);
  });
  await t.step("a name with Docker's slash before it is the name without", async () => {
    const id = (await podman("create", "--name", "/slash", image, "true")).trim();
    assertEquals((await inspect("slash")).Id, id);
    await podman("rm", "slash");
  });
  await t.step("--cidfile: inspection names the file, and it goes with its container", async () => {
    const [file, other] = [`${server.folder}/cid`, `${server.folder}/other`];
    await podman("create", "--name", "noted", "--cidfile", file, "--log-opt", "max-size=5m", image, "true");
    const { HostConfig } = await inspect("noted");
    assertEquals([HostConfig.ContainerIDFile, HostConfig.LogConfig.Size], [file, "5MB"]);
    await podman("rm", "noted");
    await assertRejects(() => Deno.stat(file), Deno.errors.NotFound);
    await podman("create", "--name", "noted", "--cidfile", other, image, "true");
    await Deno.writeTextFile(other, "somebody else's");
    await podman("rm", "noted");
    assertEquals(await Deno.readTextFile(other), "somebody else's");
  });
  await t.step("binds and tmpfs are told with the options they were asked for, and Z as the mount's mode", async () => {
    const mounts = ["-v=/tmp:/a:Z,ro", "-v=/tmp:/b", "-v=/tmp:/c:rw", "--tmpfs=/d:rw,size=1m"];
    await podman("create", "--name", "bound", ...mounts, image, "true");
    const { HostConfig, Mounts } = await inspect("bound");
    const wanted = ["/tmp:/a:Z,ro,rprivate,rbind", "/tmp:/b:rprivate,rbind", "/tmp:/c:rw,rprivate,rbind"];
    assertEquals(HostConfig.Binds.toSorted(), wanted);
    assertEquals(HostConfig.Tmpfs, { "/d": "rw,size=1m,rprivate,nosuid,nodev,tmpcopyup" });
    const modes = Mounts.map(({ Destination, Mode, Options }: Record<string, unknown>) => [Destination, Mode, Options]);
    assertEquals(modes.toSorted(), [["/a", "Z", ["rbind"]], ["/b", "", ["rbind"]], ["/c", "", ["rbind"]]]);
    await podman("start", "bound");
    await podman("rm", "-f", "bound");
  });
  await t.step("--rootfs without a command is refused by its start, not before", async () => {
    const id = (await podman("create", "--rootfs", folder)).trim();
    assert((await server.podman("start", id)).code !== 0);
    await podman("rm", id);
  });
  await t.step("top takes the arguments of ps(1) as they are", async () => {
    const top = async (...args: string[]) => {
      const list = args.map((text) => `ps_args=${encodeURIComponent(text)}`).join("&");
      return await (await server.request("GET", `/v5.0.0/libpod/containers/box/top?${list}`)).json();
    };
    assertEquals(await top("-eo", "pid comm"), { Titles: ["PID", "COMMAND"], Processes: [["1", "sleep"]] });
    const { Titles, Processes } = await top("-ef", "hn");
    assertEquals([Titles[1], Processes], ["1", []], "without a head the first process stands in its place");
  });
  await t.step("--health-interval=disable runs no check by itself", async () => {
    const options = ["--health-cmd", "echo ran", "--health-interval=disable"];
    await podman("run", "-d", "--name", "still", "--network=none", ...options, image, "sleep", "1000");
    assertEquals((await inspect("still")).State.Health, { Status: "starting", FailingStreak: 0, Log: [] });
    await podman("healthcheck", "run", "still");
    assertEquals((await inspect("still")).State.Health.Status, "healthy");
  });
  await t.step("a container that ends under a check, or before its turn, is stopped for the caller", async () => {
    const options = ["--health-cmd", "touch /begun; sleep 60", "--health-interval=disable"];
    await podman("run", "-d", "--name", "ends", "--network=none", ...options, image, "sleep", "1000");
    const checks = [1, 2].map(() => server.request("GET", "/libpod/containers/ends/healthcheck"));
    await until(() => podman("exec", "ends", "test", "-e", "/begun"));
    await podman("stop", "-t", "0", "ends");
    for (const check of checks) {
      const reply = await check;
      assertEquals([reply.status, (await reply.json()).Status], [200, "stopped"]);
    }
  });
  await t.step("update --no-healthcheck takes the check of the start too", async () => {
    const check = { Test: ["CMD", "true"] };
    await createByAPI({ image, name: "plain", command: ["true"], healthconfig: check, startupHealthConfig: check });
    const reply = await server.request("POST", "/libpod/containers/plain/update", { body: { no_healthcheck: true } });
    assertEquals(reply.status, 201);
    const { Config } = await inspect("plain");
    assertEquals([Config.Healthcheck.Test, Config.StartupHealthCheck], [["NONE"], undefined]);
  });
  await t.step("save --uncompressed writes plain layers", async () => {
    const place = `${server.folder}/plain`;
    await podman("save", "-q", "--uncompressed", "--format=oci-dir", "-o", place, image);
    const { manifests: [{ digest }] } = JSON.parse(await Deno.readTextFile(`${place}/index.json`));
    const read = (name: string) => Deno.readTextFile(`${place}/blobs/sha256/${name.replace("sha256:", "")}`);
    const { config, layers } = JSON.parse(await read(digest));
    const { rootfs } = JSON.parse(await read(config.digest));
    assertEquals(layers.map((layer: { digest: string }) => layer.digest), rootfs.diff_ids);
    assertMatch(layers[0].mediaType, /layer\.v1\.tar$/);
  });
  await t.step("the object's own routes find whatever has the name of a route", async () => {
    for (const name of ["json", "exists", "prune"]) {
      await podman("create", "--name", name, "--network=none", image, "true");
      await podman("tag", image, `localhost/deep/${name}:latest`);
      for (const path of [`containers/${name}`, `images/localhost/deep/${name}`]) {
        assertEquals((await server.request("GET", `/libpod/${path}/exists`)).status, 204, path);
        assertEquals((await server.request("GET", `/libpod/${path}/json`)).status, 200, path);
      }
    }
  });
});
