/** Today's `docker compose` (2.40) on projects such as people have. `setup` installs it; without it these tests fail. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Compose } from "../../fixtures/compose.ts";
import { ok } from "../../fixtures/run.ts";
import { until } from "../../fixtures/session.ts";

Deno.test("docker compose runs a web server with its database: every command of a day", async (t) => {
  await using compose = await Compose.start();
  const web = (...args: string[]) => compose.run("web", ...args);
  const { server } = compose.session;

  await t.step("up waits for health checks and for what has to have ended", async () => {
    // A container that ended well fails the wait of all, as it does with Docker.
    await web("up", "-d", "--wait", "web", "db");
    assertEquals(await compose.status("web"), ["db running 0 healthy", "migrate exited 0", "web running 0 healthy"]);
  });
  await t.step("port, exec, top, cp, logs and run", async () => {
    const address = (await web("port", "web", "80")).trim();
    assertEquals(await (await fetch(`http://${address}/`)).text(), "hello from web\n");
    assertEquals(await web("exec", "-T", "web", "cat", "/www/db"), "I am db\n");
    assertEquals((await compose.try("web", "exec", "-T", "web", "sh", "-c", "exit 7")).code, 7);
    assertEquals(await web("exec", "-T", "db", "ls", "/data"), "done\n");
    assertMatch(await web("top", "web"), /httpd -f -p 80/);
    await Deno.writeTextFile(`${compose.folder}/page`, "another page\n");
    await web("cp", `${compose.folder}/page`, "web:/www/page");
    assertEquals(await (await fetch(`http://${address}/page`)).text(), "another page\n");
    await web("cp", "web:/www/index.html", `${compose.folder}/index`);
    assertEquals(await Deno.readTextFile(`${compose.folder}/index`), "hello from web\n");
    assertEquals(await web("run", "--rm", "-T", "migrate", "echo", "one more"), "one more\n");
    assertStringIncludes(await web("logs", "web", "--no-log-prefix"), "ready");
  });
  await t.step("events and logs -f go on over a restart", async () => {
    const events = compose.follow("web", "events");
    // Of all services: one that is followed alone has ended when its container has.
    const logs = compose.follow("web", "logs", "-f", "--no-log-prefix");
    try {
      await until(() => Promise.resolve(assertStringIncludes(logs.text(), "ready")));
      await web("restart", "-t", "0", "web");
      await until(() => Promise.resolve(assertMatch(events.text(), /container die[^]*container start/)));
      await until(() => Promise.resolve(assertEquals(logs.text().split("ready").length, 3, logs.text())));
    } finally {
      await events.end();
      await logs.end();
    }
  });
  await t.step("pause and unpause", async () => {
    await web("pause", "db");
    assertMatch(ok(await server.docker("ps")), /\(Paused\)/);
    await web("unpause", "db");
    assertMatch((await compose.status("web"))[0], /^db running/);
  });
  await t.step("kill, stop, start and stats", async () => {
    assertStringIncludes(await web("stats", "--no-stream"), "web-db-1");
    await web("kill", "web");
    await web("stop", "-t", "0");
    assertEquals((await compose.status("web")).filter((line) => line.includes("running")), []);
    await web("up", "-d", "--wait", "db");
    assertMatch((await compose.status("web"))[0], /^db running 0 healthy/);
  });
  await t.step("down -v takes everything along, a paused container too", async () => {
    await web("pause", "db");
    assertEquals(await compose.down("web"), "");
  });
});

Deno.test("docker compose places containers in networks, and mounts what they ask for", async (t) => {
  await using compose = await Compose.start();
  const { server } = compose.session;
  for (const kind of ["network", "volume"]) ok(await server.docker(kind, "create", compose.external), kind);

  await t.step("several networks with aliases, static addresses and IPv6", async () => {
    await compose.run("networks", "up", "-d", "--wait");
    const sh = (service: string, script: string) => compose.run("networks", "exec", "-T", service, "sh", "-c", script);
    const config = await compose.run("networks", "config", "--format", "json");
    const { networks } = JSON.parse(config).services.a;
    const addresses = await sh("a", "ip addr");
    for (const text of [networks.back.ipv4_address, networks.back.ipv6_address, "02:42:ac:11:00:42"]) {
      assertStringIncludes(addresses, text);
    }
    // The client's own search would ask the first network's server for the second's full names, and stop there.
    const ask =
      "server=$(sed -n 's/nameserver //p' /etc/resolv.conf | head -n 1); for name in a door gate; do nslookup $name $server; done";
    const asked = await sh("b", ask);
    assertStringIncludes(asked, networks.back.ipv4_address);
    assert(!asked.includes("NXDOMAIN"), asked);
    assertEquals(await sh("alone", "ls /sys/class/net"), "lo\n");
    assertEquals(await sh("guest", "cat /sys/class/net/*/address"), await sh("a", "cat /sys/class/net/*/address"));
    assertEquals(await compose.down("networks"), "");
  });
  await t.step("named, external, bound and temporary volumes", async () => {
    await compose.run("volumes", "up", "-d", "--wait");
    const sh = (script: string) => compose.run("volumes", "exec", "-T", "a", "sh", "-c", script);
    assertEquals(await sh("cat /sub/f; stat -c %a /scratch; touch /ext/x 2>/dev/null || echo ro"), "kept\n1777\nro\n");
    assertMatch(await sh("df -k /named | tail -n 1"), /tmpfs\s+2048/);
    assertMatch(await sh("df -k /scratch | tail -n 1"), /tmpfs\s+1024/);
    assertEquals(await sh("mount | grep -c ' /anon \\| /tmp2 \\| /host '"), "3\n");
    assert((await Deno.stat(`${compose.folder}/volumes/host`)).isDirectory);
    assertEquals(await compose.down("volumes"), "");
    ok(await server.docker("volume", "inspect", compose.external));
  });
  await t.step("secrets and configs, of files, variables and the project itself", async () => {
    await Deno.writeTextFile(`${compose.folder}/secrets/secret.txt`, "hush\n");
    await compose.run("secrets", "up", "-d", "--wait");
    const script =
      "cat /run/secrets/plain /run/secrets/from_env /etc/app.conf /filed; stat -c '%a %u %g' /run/secrets/from_env";
    const text = await compose.run("secrets", "exec", "-T", "a", "sh", "-c", script);
    assertEquals(text, "hush\nabcport=80\nconf\n400 1000 50\n");
    assertEquals(await compose.down("secrets"), "");
  });
  await t.step("links, the network of the default route, and options of logs", async () => {
    await compose.run("links", "up", "-d", "--wait");
    const sh = (script: string) => compose.run("links", "exec", "-T", "web", "sh", "-c", script);
    assertEquals(await sh("nc -w 1 database 5432 < /dev/null"), "hello\n");
    const names = (await sh("grep database /etc/hosts; grep links-db-1 /etc/hosts")).trim().split(/\s+/);
    assertEquals([names[1], names[3], names[0] === names[2]], ["database", "links-db-1", true]);
    const [{ IPAM }] = JSON.parse(ok(await server.docker("network", "inspect", "links_two")));
    assertStringIncludes((await sh("ip route")).split("\n")[0], `default via ${IPAM.Config[0].Gateway} `);
    assertEquals(await compose.down("links"), "");
  });
  await t.step("an external network stays", async () => {
    await compose.run("external", "up", "-d", "--wait");
    assertEquals(await compose.status("external"), ["a running 0"]);
    assertEquals(await compose.down("external"), "");
    ok(await server.docker("network", "inspect", compose.external));
  });
});

Deno.test("docker compose scales, restarts, includes, limits and watches", async (t) => {
  await using compose = await Compose.start();
  const { server } = compose.session;

  await t.step("profiles", async () => {
    await compose.run("profiles", "up", "-d", "--wait");
    assertEquals(await compose.status("profiles"), ["main running 0"]);
    await compose.run("profiles", "--profile", "debug", "up", "-d", "--wait");
    assertEquals(await compose.status("profiles"), ["debug running 0", "main running 0"]);
    await compose.run("profiles", "--profile", "debug", "down", "-t", "0");
  });
  await t.step("ulimits, sysctls, extra hosts and files of logs", async () => {
    await compose.run("limits", "up", "-d", "--wait");
    const script =
      "ulimit -n; ulimit -Hn; cat /proc/sys/net/core/somaxconn; grep far /etc/hosts; hostname; id -u; pwd; " +
      "touch /x 2>/dev/null || echo ro; touch /tmp/x && grep NoNew /proc/1/status; grep -c host.docker /etc/hosts";
    const text = await compose.run("limits", "exec", "-T", "a", "sh", "-c", script);
    assertEquals(text.split("\n").slice(0, -1), [
      ...["1000", "2000", "777", "192.0.2.7\tfar", "boxy", "1000", "/tmp", "ro", "NoNewPrivs:\t1", "1"],
    ]);
    const [{ HostConfig }] = JSON.parse(ok(await server.docker("inspect", "limits-a-1")));
    assertEquals(HostConfig.LogConfig, { Type: "json-file", Config: { "max-file": "3", "max-size": "1m" } });
  });
  await t.step("limits of memory, processes and processors", async () => {
    const [{ HostConfig }] = JSON.parse(ok(await server.docker("inspect", "limits-a-1")));
    assertEquals([HostConfig.Memory, HostConfig.PidsLimit, HostConfig.NanoCpus], [67108864, 50, 5e8]);
  });
  await compose.down("limits");
  await t.step("replicas, scale and up --scale --force-recreate", async () => {
    const count = async () => (await compose.status("scale")).filter((line) => line === "w running 0").length;
    await compose.run("scale", "up", "-d", "--wait");
    const found = await compose.run("scale", "exec", "-T", "probe", "nslookup", "-type=a", "w");
    assertEquals([await count(), found.match(/^Address: \d/gm)?.length], [3, 3]);
    const listed = ok(await server.docker("ps", "--filter", "publish=20500-20549", "--format", "{{.Ports}}"));
    assertEquals(new Set(listed.match(/:205\d\d->80/g)).size, 3, listed);
    await compose.run("scale", "scale", "w=5");
    assertEquals(await count(), 5);
    await compose.run("scale", "up", "-d", "-t", "0", "--scale", "w=2", "--force-recreate", "--wait");
    assertEquals(await count(), 2);
    assertEquals(await compose.down("scale"), "");
  });
  await t.step("restart policies", async () => {
    await compose.run("restart", "up", "-d");
    const restarts = async (service: string) => {
      const format = "{{.RestartCount}} {{.State.ExitCode}}";
      return ok(await server.docker("inspect", "--format", format, `restart-${service}-1`)).trim();
    };
    await until(async () => assertEquals(await restarts("failing"), "2 3"));
    await until(async () => assertMatch(await restarts("always"), /^[1-9]/));
    assertEquals(await restarts("steady"), "0 0");
    assertEquals(await compose.down("restart"), "");
  });
  await t.step("include and extends", async () => {
    await compose.run("include", "up", "-d", "--wait");
    assertEquals(await compose.run("include", "exec", "-T", "a", "sh", "-c", "echo $A $B"), "one two\n");
    assertEquals(await compose.status("include"), ["a running 0", "o running 0"]);
    assertStringIncludes(await compose.run("include", "ls"), "running(2)");
    assertEquals(await compose.down("include"), "");
  });
  await t.step("watch copies files that change, and restarts where told", async () => {
    await compose.run("watch", "up", "-d", "--wait");
    const started = async () => ok(await server.docker("inspect", "--format", "{{.State.StartedAt}}", "watch-a-1"));
    const before = await started();
    const watch = compose.follow("watch", "watch", "--no-up");
    try {
      await until(() => Promise.resolve(assertStringIncludes(watch.text(), "Watch enabled")));
      const seen = async (path: string, text: string) =>
        assertEquals(await compose.run("watch", "exec", "-T", "a", "cat", path), text);
      await Deno.writeTextFile(`${compose.folder}/watch/src/file`, "two");
      await until(() => seen("/app/file", "two"));
      assertEquals(await started(), before);
      await Deno.writeTextFile(`${compose.folder}/watch/conf/file`, "two");
      await until(async () => assert(await started() !== before));
      await until(() => seen("/conf/file", "two"));
    } finally {
      await watch.end();
    }
    assertEquals(await compose.down("watch"), "");
  });
});
