/** Debian's podman as the client, as the README's first session shows it: every command a user types, and what it prints. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, run } from "../fixtures/run.ts";
import { freePort } from "../fixtures/images/registry.ts";
import { Session, until } from "../fixtures/session.ts";

Deno.test("podman --remote drives a whole session", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));

  await t.step("version and info answer as a server of ours", async () => {
    const version = JSON.parse(await podman("version", "--format", "json"));
    assertMatch(version.Server.APIVersion, /^\d+\.\d+/);
    const info = JSON.parse(await podman("info", "--format", "json"));
    assertEquals(info.host.os, "linux");
    assertEquals(info.store.graphDriverName, "overlay");
    assertEquals(info.store.graphRoot, `${server.folder}/root`);
  });

  await t.step("pull brings a real image, images and inspect show it", async () => {
    const id = (await podman("pull", "--tls-verify=false", image)).trim().split("\n").at(-1)!;
    assertMatch(id, /^[0-9a-f]{64}$/);
    assertStringIncludes(
      await podman("images", "--no-trunc", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}"),
      `${image} sha256:${id}`,
    );
    const [inspected] = JSON.parse(await podman("image", "inspect", image));
    assertEquals(inspected.Id, id);
    assertEquals(inspected.Config.Cmd, ["/bin/sh"]);
  });

  await t.step("whiteouts of upper layers hide what lower layers hold", async () => {
    const listing = await podman("run", "--rm", "--network=none", image, "sh", "-c", "ls /layers /opaque");
    assertEquals(listing, "/layers:\nkept\n\n/opaque:\nupper\n");
  });

  await t.step("run in the foreground gives output, error output and exit code", async () => {
    const result = await server.podman("run", "--rm", image, "sh", "-c", "echo out; echo err >&2; exit 3");
    assertEquals([result.code, result.stdout, result.stderr], [3, "out\n", "err\n"]);
  });

  await t.step("run -i carries standard input both ways and ends with it", async () => {
    const result = await server.podmanAt(server.addresses[0], ["run", "-i", "--rm", "--network=none", image, "cat"], {
      stdin: "line one\nline two\n",
    });
    assertEquals([result.code, result.stdout], [0, "line one\nline two\n"]);
  });

  await t.step("run honours -e, -w, -u, --entrypoint, --hostname", async () => {
    const out = await podman(
      ...["run", "--rm", "--network=none", "-e", "COLOR=blue", "-w", "/tmp", "-u", "1234:567", "--hostname", "crane"],
      ...["--entrypoint", "/bin/sh", image, "-c", 'echo "$COLOR $(pwd) $(id -u):$(id -g) $(hostname)"'],
    );
    assertEquals(out, "blue /tmp 1234:567 crane\n");
  });

  await t.step("run -v binds a folder of the host, and :ro keeps it whole", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-bind-" });
    await Deno.writeTextFile(`${folder}/greeting`, "hello");
    await podman(
      "run",
      "--rm",
      "--network=none",
      "-v",
      `${folder}:/data`,
      image,
      "sh",
      "-c",
      "cat /data/greeting > /data/copy",
    );
    assertEquals(await Deno.readTextFile(`${folder}/copy`), "hello");
    const refused = await server.podman(
      "run",
      "--rm",
      "--network=none",
      "-v",
      `${folder}:/data:ro`,
      image,
      "touch",
      "/data/x",
    );
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "Read-only file system");
    await Deno.remove(folder, { recursive: true });
  });

  await t.step("--tmpfs begins with what the image has there, and forgets what is written", async () => {
    const script = "cat /layers/kept; echo new > /layers/kept; grep ' /layers ' /proc/mounts";
    const out = await podman("run", "--rm", "--network=none", "--tmpfs", "/layers:size=1m", image, "sh", "-c", script);
    assertMatch(out, /^kepttmpfs \/layers tmpfs rw,nosuid,nodev,relatime,size=1024k/);
  });

  await t.step("the default network reaches the host, --network none reaches nothing", async () => {
    const with_ = await podman(
      "run",
      "--rm",
      image,
      "sh",
      "-c",
      "ip -o -4 addr show eth0 | wc -l; ip route | grep -c default",
    );
    assertEquals(with_, "1\n1\n");
    const without = await podman("run", "--rm", "--network=none", image, "sh", "-c", "ls /sys/class/net");
    assertEquals(without.trim(), "lo");
    const hosts = await podman("run", "--rm", "--name", "named", image, "cat", "/etc/hosts");
    assertMatch(hosts, /\d+\.\d+\.\d+\.\d+\s+.*named/);
  });

  await t.step("-p publishes a port on the host", async () => {
    const port = await freePort();
    const web = ["sh", "-c", "mkdir /www; echo published > /www/index.html; exec httpd -f -p 8000 -h /www"];
    await podman("run", "-d", "--name", "web", "-p", `127.0.0.1:${port}:8000`, image, ...web);
    const body = await until(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return await response.text();
    });
    assertEquals(body, "published\n");
    assertStringIncludes(await podman("ps", "--format", "{{.Names}} {{.Ports}}"), `web 127.0.0.1:${port}->8000/tcp`);
    await podman("rm", "-f", "-t", "0", "web");
    assertEquals((await run(["curl", "-s", "-m", "2", `http://127.0.0.1:${port}/`])).code !== 0, true);
  });

  await t.step("run -d, ps, logs, logs -f, stop, wait, inspect, rm", async () => {
    const script =
      "trap 'echo stopping; exit 7' TERM; i=0; while [ $i -lt 5 ]; do echo line $i; i=$((i+1)); done; sleep 60 & wait";
    const id = (await podman("run", "-d", "--name", "worker", "-l", "job=test", image, "sh", "-c", script)).trim();
    assertMatch(id, /^[0-9a-f]{64}$/);
    assertEquals(await podman("ps", "-q", "--no-trunc", "--filter", "label=job=test"), `${id}\n`);
    const lines = [0, 1, 2, 3, 4].map((i) => `line ${i}\n`).join("");
    await until(async () => assertEquals(await podman("logs", "worker"), lines));
    assertEquals(await podman("logs", "--tail", "2", "worker"), "line 3\nline 4\n");
    assertMatch(
      await podman("logs", "-t", "--tail", "1", "worker"),
      /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d) line 4\n$/,
    );
    const [running] = JSON.parse(await podman("inspect", "worker"));
    const text = (path: string) => Deno.readTextFile(path);
    assertEquals(await text(running.HostnamePath), `${id.slice(0, 12)}\n`);
    assertEquals(JSON.parse(await text(running.OCIConfigPath)).process.capabilities.bounding, running.BoundingCaps);
    assertEquals(await text(running.PidFile), String(running.State.Pid));
    assertEquals(await text(running.ConmonPidFile), String(running.State.ConmonPid));
    assertMatch(await text(running.ResolvConfPath) + await text(running.HostsPath), /nameserver[^]*localhost/);
    assert((await Deno.stat(`${running.GraphDriver.Data.MergedDir}/bin/sh`)).isFile);
    const following = server.podman("logs", "-f", "worker");
    const waiting = server.podman("wait", "worker");
    await podman("stop", "-t", "10", "worker");
    assertEquals(ok(await following), `${lines}stopping\n`);
    assertEquals(ok(await waiting), "7\n");
    const [inspected] = JSON.parse(await podman("inspect", "worker"));
    assertEquals([inspected.State.Status, inspected.State.ExitCode, inspected.Id], ["exited", 7, id]);
    assertMatch(await podman("ps", "-a", "--filter", "name=worker", "--format", "{{.Status}}"), /^Exited \(7\)/);
    await podman("rm", "worker");
    assertEquals((await server.podman("container", "exists", "worker")).code, 1);
  });

  await t.step("kill ends a container with its signal", async () => {
    await podman("run", "-d", "--name", "victim", "--network=none", image, "sleep", "60");
    await podman("kill", "victim");
    assertEquals(await podman("wait", "victim"), "137\n");
    await podman("rm", "-f", "victim");
  });

  await t.step("run -it gives a terminal of the size asked", async () => {
    const command = server.podmanCommand(
      "run",
      "-it",
      "--rm",
      "--network=none",
      image,
      "sh",
      "-c",
      "tty; stty size; exit 5",
    );
    const inner = `stty rows 33 cols 101; ${command.join(" ").replace(/sh -c (.*)$/, "sh -c '$1'")}`;
    const result = await run(["script", "-qec", inner, "/dev/null"], { stdin: "" });
    assertEquals(result.code, 5, result.stdout + result.stderr);
    assertStringIncludes(result.stdout, "/dev/pts/0");
    assertStringIncludes(result.stdout, "33 101");
  });

  await t.step("tag and rmi work by name, and keep what a container uses", async () => {
    await podman("tag", image, "localhost/copy:1");
    assertStringIncludes(await podman("images", "--format", "{{.Repository}}:{{.Tag}}"), "localhost/copy:1");
    assertStringIncludes(await podman("rmi", "localhost/copy:1"), "Untagged: localhost/copy:1");
    await podman("create", "--name", "user", "--network=none", image, "true");
    const refused = await server.podman("rmi", image);
    assert(refused.code !== 0);
    assertStringIncludes(refused.stderr, "in use by");
    await podman("rm", "user");
  });

  await t.step("the same over TCP", async () => {
    const tcp = server.addresses.find((address) => address.startsWith("tcp://"))!;
    const result = await server.podmanAt(
      tcp,
      ["run", "-i", "--rm", "--network=none", image, "sh", "-c", "cat; exit 4"],
      {
        stdin: "over tcp",
      },
    );
    assertEquals([result.code, result.stdout], [4, "over tcp"]);
  });

  await t.step("rmi removes the image, and nothing is left of it", async () => {
    await podman("rmi", image);
    assertEquals(await podman("images", "-q"), "");
    assertEquals(await podman("ps", "-aq"), "");
  });
});
