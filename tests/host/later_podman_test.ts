/** Today's podman as the client, in long runs: networks, volumes, secrets and the system, as its user types them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LATER_PODMAN } from "../../scripts/later_debian/client_programs.ts";
import { ok } from "../fixtures/run.ts";
import { Session } from "../fixtures/session.ts";
import { registerLong } from "../long_run.ts";

registerLong("podman 5.8 drives networks, volumes, secrets and the system", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const client = (...args: string[]) => server.podmanAt(server.addresses[0], args, { program: LATER_PODMAN });
  const podman = async (...args: string[]) => ok(await client(...args), args.join(" "));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await client(...args);
    assert(code !== 0, args.join(" "));
    return stderr;
  };
  assertMatch(await podman("version", "--format", "{{.Client.Version}} {{.Server.APIVersion}}"), /^5\.[8-9]\S* \S+\n$/);
  await podman("pull", "-q", "--tls-verify=false", image);

  await t.step("network: create, ls, inspect, update, connect, disconnect, rm, prune", async () => {
    const wish = ["--subnet=10.77.0.0/24", "--ip-range=10.77.0.128/25", "--label=a=b", "--opt=mtu=1400"];
    assertEquals(await podman("network", "create", ...wish, "one"), "one\n");
    assertEquals(await podman("network", "create", "--ipv6", "two"), "two\n");
    assertStringIncludes(
      await refused("network", "create", "one"),
      "network name one already used: network already exists",
    );
    assertEquals(await podman("network", "create", "--ignore", "one"), "one\n");
    assertEquals(await podman("network", "ls", "-q", "--filter", "label=a"), "one\n");
    const [one] = JSON.parse(await podman("network", "inspect", "one"));
    assertEquals(one.subnets[0].lease_range, { start_ip: "10.77.0.129", end_ip: "10.77.0.255" });
    assertEquals([one.options, one.dns_enabled, one.containers], [{ mtu: "1400" }, true, {}]);
    await podman("network", "update", "one", "--dns-add", "192.0.2.1");
    assertEquals(await podman("network", "inspect", "one", "--format", "{{.NetworkDNSServers}}"), "[192.0.2.1]\n");
    await podman("network", "update", "one", "--dns-drop", "192.0.2.1");
    const place = "one:alias=foo,mac=92:d0:c6:0a:29:33,interface_name=eth7,ip=10.77.0.9";
    await podman("run", "-d", "--name=box", "--network", place, image, "sleep", "1000");
    await podman("network", "connect", "--alias=bar", "two", "box");
    assertStringIncludes(await refused("network", "connect", "two", "box"), "network is already connected");
    const { one: first, two: second } = JSON.parse(
      await podman("inspect", "box", "--format", "{{json .NetworkSettings.Networks}}"),
    );
    assertEquals([first.IPAddress, first.MacAddress, first.Aliases[0]], ["10.77.0.9", "92:d0:c6:0a:29:33", "foo"]);
    assertEquals([second.Aliases[0], second.GlobalIPv6PrefixLen], ["bar", 64]);
    const [shown] = Object.values(
      JSON.parse(await podman("network", "inspect", "one", "--format", "{{json .Containers}}")),
    );
    assertEquals(Object.keys((shown as { interfaces: object }).interfaces), ["eth7"]);
    await podman("network", "disconnect", "two", "box");
    assertStringIncludes(await refused("network", "disconnect", "two", "box"), "is not connected to network two");
    assertStringIncludes(await refused("network", "rm", "one"), "network is being used");
    assertEquals(await podman("network", "rm", "-f", "-t", "0", "one"), "one\n");
    assertEquals(await podman("network", "prune", "-f"), "two\n");
    assertStringIncludes(
      await refused("network", "rm", "one"),
      "unable to find network with name or ID one: network not found",
    );
  });

  await t.step("volume: create, ls, inspect, export, import, rm, prune", async () => {
    assertEquals(await podman("volume", "create", "--uid=5", "--gid=6", "one"), "one\n");
    assertEquals(
      await podman("volume", "create", "--label=x=y", "--opt=type=tmpfs", "--opt=device=tmpfs", "two"),
      "two\n",
    );
    assertStringIncludes(
      await refused("volume", "create", "one"),
      "volume with name one already exists: volume already exists",
    );
    assertEquals(await podman("volume", "create", "--ignore", "one"), "one\n");
    assertEquals(await podman("volume", "ls", "-q", "--filter", "label=x=y"), "two\n");
    const [one] = JSON.parse(await podman("volume", "inspect", "one"));
    assertEquals([one.UID, one.GID, one.Driver, one.NeedsCopyUp], [5, 6, "local", true]);
    await podman("run", "--rm", "-v=one:/d", image, "sh", "-c", "echo hi > /d/x");
    await podman("volume", "export", "one", "-o", `${server.folder}/one.tar`);
    await podman("volume", "create", "three");
    await podman("volume", "import", "three", `${server.folder}/one.tar`);
    assertEquals(await podman("run", "--rm", "-v=three:/d", image, "cat", "/d/x"), "hi\n");
    const part = "type=volume,source=three,target=/d,subpath=sub";
    await podman("run", "--rm", "-v=three:/d", image, "mkdir", "/d/sub");
    assertEquals(await podman("run", "--rm", "--mount", part, image, "ls", "/d"), "");
    await podman("volume", "create", "--driver=image", `--opt=image=${image}`, "tools");
    assertStringIncludes(await podman("run", "--rm", "-v=tools:/t", image, "ls", "/t"), "bin\n");
    assertStringIncludes(await refused("volume", "rm", "none"), 'no volume with name "none" found: no such volume');
    assertEquals(await podman("volume", "rm", "one", "tools"), "one\ntools\n");
    assertEquals((await podman("volume", "prune", "-f")).split("\n").sort(), [
      "",
      "three",
      "two",
    ]);
  });

  await t.step("secret: create, replace, inspect, use, rm", async () => {
    const file = `${server.folder}/secret`;
    await Deno.writeTextFile(file, "first");
    await podman("secret", "create", "--label=a=b", "one", file);
    await Deno.writeTextFile(file, "second");
    assertStringIncludes(await refused("secret", "create", "one", file), "secret name in use");
    const id = (await podman("secret", "create", "--replace", "one", file)).trim();
    assertEquals(await podman("secret", "create", "--ignore", "one", file), `${id}\n`);
    assertEquals(await podman("secret", "inspect", "--showsecret", "one", "--format", "{{.SecretData}}"), "second\n");
    assertEquals(await podman("run", "--rm", "--secret=one", image, "cat", "/run/secrets/one"), "second");
    const env = await podman("run", "--rm", "--secret=one,type=env,target=WORD", image, "sh", "-c", "echo $WORD");
    assertEquals(env, "second\n");
    assertStringIncludes(await refused("secret", "rm", "none"), "no such secret");
    assertEquals(await podman("secret", "rm", "-a"), `${id}\n`);
  });

  await t.step("system: df, info, check, events, prune", async () => {
    await podman("run", "-d", "--name=box", "-v=kept:/x", image, "sleep", "1000");
    const rows = JSON.parse(await podman("system", "df", "--format", "json"));
    assertEquals(rows.map(({ Type, Total, Active }: Record<string, unknown>) => [Type, Total, Active]), [
      ...[["Images", 1, 1], ["Containers", 1, 1], ["Local Volumes", 1, 1]],
    ]);
    assertMatch(await podman("system", "df", "-v"), /\nkept +1 +0B\n/);
    const { host, plugins, store } = JSON.parse(await podman("info", "--format", "json"));
    assertEquals([host.networkBackend, store.containerStore.running], ["netavark", 1]);
    // netavark of Debian 12 knows no ipvlan.
    assertEquals(plugins.network, ["bridge", "macvlan"]);
    await podman("system", "check");
    const events = await podman("events", "--stream=false", "--since=10m", "--filter=type=secret");
    assertEquals(events.match(/secret (?:create|remove)/g), ["secret create", "secret create", "secret remove"]);
    assertStringIncludes(await podman("system", "prune", "-af", "--volumes"), "Total reclaimed space");
    assertEquals(await podman("volume", "ls", "-q"), "kept\n");
    await podman("rm", "-f", "-t", "0", "box");
    assertStringIncludes(await podman("system", "prune", "-af", "--volumes"), "kept");
    assertEquals(await podman("images", "-q"), "");
  });
});
