/** The Docker CLI as the client of the compat tree. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../fixtures/run.ts";
import type { Server } from "../fixtures/server.ts";
import { Session, until } from "../fixtures/session.ts";

Deno.test("the Docker CLI drives version, pull, images, run, ps, logs, rm", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));

  await t.step("version", async () => {
    const version = JSON.parse(await docker("version", "--format", "{{json .Server}}"));
    assertMatch(version.ApiVersion, /^1\.\d+$/);
    assertEquals(version.Os, "linux");
  });
  await t.step("pull and images", async () => {
    assertStringIncludes(await docker("pull", image), image);
    assertStringIncludes(await docker("images", "--format", "{{.Repository}}:{{.Tag}}"), image);
  });
  await t.step("run gives output and exit code", async () => {
    const result = await server.docker("run", "--rm", image, "sh", "-c", "echo out; echo err >&2; exit 3");
    assertEquals([result.code, result.stdout, result.stderr], [3, "out\n", "err\n"]);
  });
  await t.step("a domain is a part of the container's full name", async () => {
    const named = ["--name", "short", "--hostname", "hh", "--domainname", "dd.ee"];
    const names = await docker("run", ...named, image, "sh", "-c", "hostname -f; hostname -d; hostname");
    assertEquals(names, "hh.dd.ee\ndd.ee\nhh\n");
    assertEquals(
      await docker("inspect", "--format", "{{.Config.Hostname}} {{.Config.Domainname}}", "short"),
      "hh dd.ee\n",
    );
    await docker("rm", "short");
  });
  await t.step("every user may listen on any port and ping, as in Docker", async () => {
    const settings = "cd /proc/sys/net/ipv4; cat ip_unprivileged_port_start ping_group_range";
    const listen = "httpd -p 80 && httpd -p 127.0.0.1:81 && echo listens";
    const told = await docker("run", "--rm", "--user", "1000", image, "sh", "-c", `${settings}; ${listen}`);
    // The groups of an ordinary user's containers are few.
    const groups = Deno.env.has("GANTRY_TEST_USER") ? "0\t0" : "0\t2147483647";
    assertEquals(told, `0\n${groups}\nlistens\n`);
    const asked = ["--sysctl", "net.ipv4.ip_unprivileged_port_start=90", image, "sh", "-c", settings];
    assertMatch(await docker("run", "--rm", ...asked), /^90\n/);
  });
  await t.step("a hostname is a name of the container in its network", async () => {
    await docker("network", "create", "brokers");
    await docker("run", "-d", "--name", "kafka", "--hostname", "broker", "--network", "brokers", image, "sleep", "60");
    const format = "{{.NetworkSettings.Networks.brokers.IPAddress}}";
    const address = (await docker("inspect", "--format", format, "kafka")).trim();
    assertStringIncludes(await docker("run", "--rm", "--network", "brokers", image, "nslookup", "broker"), address);
    await docker("rm", "-f", "kafka");
    await docker("network", "rm", "brokers");
  });
  await t.step("run -d, ps, logs, rm -f", async () => {
    const id = (await docker("run", "-d", "--name", "box", image, "sh", "-c", "echo hello; sleep 60")).trim();
    assertEquals(await docker("ps", "-q", "--no-trunc"), `${id}\n`);
    await until(async () => assertEquals(await docker("logs", "box"), "hello\n"));
    assertStringIncludes(await docker("ps", "--format", "{{.Names}} {{.Status}}"), "box Up");
    const from = performance.now();
    await docker("rm", "-f", "box");
    assert(performance.now() - from < 8000, "a forced removal waits for no stop timeout");
    assertEquals(await docker("ps", "-aq"), "");
  });
  await t.step(
    "whoever asks for some containers' events hears of an end that was just before, and nobody else does",
    async () => {
      const filters = encodeURIComponent(JSON.stringify({ label: ["project=brief"] }));
      // Compose starts containers while it asks. One attempt of these is within a second.
      await until(async () => {
        const id = (await docker("run", "-d", "--network=none", "--label=project=brief", image, "true")).trim();
        // Not by the client: a later one takes half a second to start.
        await (await server.request("POST", `/v1.41/containers/${id}/wait`)).text();
        using events = await openEvents(server, `?filters=${filters}`);
        const first = await Promise.race([events.next(), new Promise((resolve) => setTimeout(resolve, 2_000))]);
        await docker("rm", id);
        assertEquals(first, `die ${id}`);
      });
      using events = await openEvents(server, "");
      const id = (await docker("create", image)).trim();
      assertEquals(await events.next(), `create ${id}`);
      await docker("rm", id);
    },
  );
  await t.step(
    "events tells of networks joined and left, and of the signals of a stop, in docker's order",
    async () => {
      const since = (Date.now() / 1000).toFixed(3);
      const id = (await docker("run", "-d", "--name", "told", image, "sleep", "1000")).trim();
      await docker("stop", "-t", "1", "told");
      const until = (Date.now() / 1000 + 0.1).toFixed(3);
      const format = "{{.Type}} {{.Action}} {{.Actor.Attributes.name}} {{.Actor.Attributes.container}}";
      const told = await docker("events", "--since", since, "--until", until, "--format", format);
      const network = (action: string) => `network ${action} bridge ${id}`;
      const container = (action: string) => `container ${action} told <no value>`;
      const [begin, end] = [["create"], ["die", "stop"]].map((actions) => actions.map(container));
      const kills = ["kill", "kill"].map(container);
      const start = [network("connect"), container("start"), ...kills, network("disconnect")];
      assertEquals(told.trim().split("\n"), [...begin, ...start, ...end]);
      await docker("rm", "told");
    },
  );
  await t.step("-v makes a missing folder, --mount refuses it", async () => {
    const missing = `${server.folder}/made/for/it`;
    const run = ["run", "--rm", "--network=none"];
    const refused = await server.docker(...run, "--mount", `type=bind,src=${missing},dst=/data`, image, "true");
    assertStringIncludes(refused.stderr, `bind source path does not exist: ${missing}`);
    assertEquals(refused.code, 125, "127 would be a missing program");
    await docker(...run, "-v", `${missing}:/data`, image, "touch", "/data/x");
    assert((await Deno.stat(`${missing}/x`)).isFile);
  });
  await t.step("--security-opt seccomp=FILE: the client sends the profile itself", async () => {
    const run = ["run", "--rm", "--network=none", "--security-opt"];
    const profile = (names: string[]) => ({
      defaultAction: "SCMP_ACT_ALLOW",
      syscalls: [{ names, action: "SCMP_ACT_ERRNO" }],
    });
    const file = `${server.folder}/profile.json`;
    await Deno.writeTextFile(file, JSON.stringify(profile(["mkdir", "mkdirat"])));
    const denied = await server.docker(...run, `seccomp=${file}`, image, "mkdir", "/x");
    assertStringIncludes(denied.stderr, "Operation not permitted");
    await Deno.writeTextFile(file, "{}");
    const odd = await server.docker(...run, `seccomp=${file}`, image, "true");
    assertStringIncludes(odd.stderr, "no defaultAction");
    assertEquals(
      await docker(...run, "seccomp=builtin", image, "grep", "Seccomp:", "/proc/self/status"),
      "Seccomp:\t2\n",
    );
  });
  await t.step("what was logged since a start has the first line, start after start", async () => {
    await docker("run", "-d", "--name", "early", "--network=none", image, "sh", "-c", "echo first; sleep 60");
    for (let i = 0; i < 6; i++) {
      await docker("restart", "-t", "0", "early");
      const since = (await docker("inspect", "--format", "{{.State.StartedAt}}", "early")).trim();
      await until(async () => assertEquals(await docker("logs", "--since", since, "early"), "first\n"));
    }
    await docker("rm", "-f", "early");
  });
  await t.step("--mount type=volume makes the volume with its labels and the driver's options", async () => {
    const mount =
      "type=volume,src=marked,dst=/data,volume-label=kind=marked,volume-opt=type=tmpfs,volume-opt=device=tmpfs," +
      "volume-opt=o=size=1m";
    const shown = await docker("run", "--rm", "--network=none", "--mount", mount, image, "df", "-k", "/data");
    assertMatch(shown, /tmpfs\s+1024/);
    const [{ Labels, Options }] = JSON.parse(await docker("volume", "inspect", "marked"));
    assertEquals([Labels, Options.o], [{ kind: "marked" }, "size=1m"]);
  });
  await t.step("-v /dev/pts, without a name, gives terminals of the container's own", async () => {
    const shown = await docker(
      "run",
      "--rm",
      "-t",
      "--network=none",
      "-v",
      "/dev/pts",
      image,
      "grep",
      " /dev/pts ",
      "/proc/mounts",
    );
    assertMatch(shown, /^devpts \/dev\/pts devpts /m);
    const usual = await docker("run", "--rm", "-t", "--network=none", image, "grep", " /dev/pts ", "/proc/mounts");
    assertEquals(shown, usual, "with the rights and the options of every container's terminals");
    const open = ["sh", "-c", "exec 3<>/dev/ptmx && echo opened"];
    const opened = await docker("run", "--rm", "-u", "1000", "--network=none", "-v", "/dev/pts", image, ...open);
    assertEquals(opened, "opened\n", "by an ordinary user too");
  });
  await t.step("a missing command exits 127 with the runtime's message", async () => {
    const result = await server.docker("run", "--rm", "--network=none", image, "/no/such/command");
    assertEquals(result.code, 127, result.stderr);
    assertStringIncludes(result.stderr, "/no/such/command");
  });
});

/** Follows the events of Docker's tree; `next()` gives the action and the ID of one. */
async function openEvents(server: Server, query: string): Promise<{ next(): Promise<string> } & Disposable> {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: server.socket } });
  const left = new AbortController();
  const response = await fetch(`http://d/v1.47/events${query}`, { client, signal: left.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async next() {
      while (!text.includes("\n")) text += (await reader.read()).value ?? "\n";
      const [line] = text.split("\n");
      text = text.slice(line.length + 1);
      const { Action, Actor } = JSON.parse(line);
      return `${Action} ${Actor.ID}`;
    },
    [Symbol.dispose]() {
      reader.cancel().catch(() => {});
      left.abort();
      client.close();
    },
  };
}
