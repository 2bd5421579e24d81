/** Networks as Docker's client asks for them, where Podman's asks for something else. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("docker's networks go while their containers do not run, and priorities choose the way out", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" ")).trim();
  await docker("pull", "-q", image);
  const ways = async (name: string) => {
    const routes = await docker("exec", name, "ip", "route");
    return routes.split("\n").filter((line) => line.startsWith("default")).map((line) => /eth\d/.exec(line)![0]);
  };

  await t.step(
    "network connect --gw-priority takes the default route at once, and keeps it at the next start",
    async () => {
      for (const name of ["one", "two", "three"]) await docker("network", "create", name);
      await docker("run", "-d", "--name", "box", "--network", "one", image, "sleep", "1000");
      await docker("network", "connect", "two", "box");
      await docker("network", "connect", "--gw-priority", "5", "three", "box");
      assertEquals((await ways("box"))[0], "eth2");
      await docker("network", "disconnect", "three", "box");
      assertEquals((await ways("box"))[0], "eth0");
      await docker("stop", "-t", "0", "box");
      await docker("network", "connect", "--gw-priority", "5", "three", "box");
      await docker("start", "box");
      assertEquals(await ways("box"), ["eth2", "eth0", "eth1"]);
      const format = "{{range $name, $at := .NetworkSettings.Networks}}{{$name}}={{$at.GwPriority}} {{end}}";
      assertEquals(await docker("inspect", "--format", format, "box"), "one=0 three=5 two=0");
    },
  );

  await t.step("an endpoint has an ID while its container runs, the same for every inspection", async () => {
    const ids = async () =>
      JSON.parse(await docker("inspect", "--format", "{{json .NetworkSettings.Networks}}", "box"));
    const { one, two } = await ids();
    assertMatch(one.EndpointID, /^[0-9a-f]{64}$/);
    assert(one.EndpointID !== two.EndpointID);
    const [{ Containers }] = JSON.parse(await docker("network", "inspect", "one"));
    assertEquals(Object.values(Containers).map((place) => (place as { EndpointID: string }).EndpointID), [
      one.EndpointID,
    ]);
    await docker("stop", "-t", "0", "box");
    assertEquals((await ids()).one.EndpointID, "");
  });

  await t.step(
    "network rm leaves containers that do not run, which start again once there is such a network",
    async () => {
      await docker("network", "rm", "one");
      const start = await server.docker("start", "box");
      assertStringIncludes(start.stderr, "unable to find network with name or ID one");
      await docker("network", "create", "--subnet", "10.213.77.0/24", "one");
      await docker("start", "box");
      assertStringIncludes(await docker("exec", "box", "ip", "addr"), "10.213.77.2/24");
      const used = await server.docker("network", "rm", "one");
      assertStringIncludes(used.stderr, '"one" has associated containers with it');
      await docker("stop", "-t", "0", "box");
      // Podman's tree refuses, as Podman does.
      const podman = await server.podman("network", "rm", "one");
      assertStringIncludes(podman.stderr, '"one" has associated containers with it');
      await docker("network", "rm", "one");
      await docker("rm", "box");
    },
  );

  await t.step(
    "a link to nobody, and limits that no container lives with or no machine has, are refused at create",
    async () => {
      const refusal = async (...args: string[]) => (await server.docker("create", ...args, image)).stderr;
      assertStringIncludes(
        await refusal("--link", "nobody"),
        "could not get container for nobody: No such container: nobody",
      );
      assertStringIncludes(await refusal("-m", "1m"), "Minimum memory limit allowed is 6MB");
      assertStringIncludes(await refusal("--memory-reservation", "1m"), "Minimum memory reservation allowed is 6MB");
      const text = "Minimum memory limit can not be less than memory reservation limit, see usage";
      assertStringIncludes(await refusal("-m", "8m", "--memory-reservation", "9m"), text);
      assertMatch(
        await refusal("--cpus", "9999"),
        /range of CPUs is from 0.01 to (\d+).00, as there are only \1 CPUs available/,
      );
      await docker("create", "--name", "least", "-m", "6m", "--cpus", "0.5", image);
      const update = await server.docker("update", "-m", "1m", "least");
      assertStringIncludes(update.stderr, "Minimum memory limit allowed is 6MB");
    },
  );

  await t.step(
    "a link in the default network brings names, and variables of the port and of the environment",
    async () => {
      await docker("run", "-d", "--name", "db", "--expose", "5432", "-e", "ROLE=store", image, "sleep", "1000");
      const address = (await docker("inspect", "-f", "{{.NetworkSettings.Networks.bridge.IPAddress}}", "db")).trim();
      const show = ["sh", "-c", "echo $STORE_PORT $STORE_NAME $STORE_ENV_ROLE; grep -w store /etc/hosts"];
      const shown = await docker("run", "--rm", "--name", "web", "--link", "db:store", image, ...show);
      assertMatch(shown, new RegExp(`^tcp://${address}:5432 /web/store store\\n${address}\\s.*store`));
      await docker("rm", "-f", "db");
    },
  );

  await t.step("docker's event of a restart comes after its start, podman's before its stop", async () => {
    await docker("run", "-d", "--name", "again", "--network", "none", image, "sleep", "1000");
    const since = (Date.now() / 1000).toFixed(3);
    await docker("restart", "-t", "0", "again");
    ok(await server.podman("restart", "-t", "0", "again"));
    const until = (Date.now() / 1000 + 1).toFixed(3);
    const events = await docker(
      "events",
      "--since",
      since,
      "--until",
      until,
      "--filter",
      "container=again",
      "--format",
      "{{.Action}}",
    );
    const told = events.split("\n").filter((action) => /^(stop|start|restart)$/.test(action));
    assertEquals(told, ["stop", "start", "restart", "restart", "stop", "start"]);
  });

  await t.step("docker info has an ID that stays", async () => {
    const id = await docker("info", "--format", "{{.ID}}");
    assertMatch(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await server.crash();
    assertEquals(await docker("info", "--format", "{{.ID}}"), id);
  });
});

Deno.test("the driver option sysctls changes an interface's kernel settings, at the start and of a container that runs", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" ")).trim();
  await docker("pull", "-q", image);
  await docker("network", "create", "lan");
  await docker("network", "create", "late");
  const option = "com.docker.network.endpoint.sysctls";
  const settings = "net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.conf.IFNAME.arp_filter=1";
  const read = (device: string) =>
    docker("exec", "box", "sh", "-c", `cd /proc/sys/net/ipv4/conf; cat ${device}/log_martians ${device}/arp_filter`);
  const options = async () => {
    const format = "{{json .NetworkSettings.Networks}}";
    const networks = JSON.parse(await docker("inspect", "--format", format, "box"));
    return Object.fromEntries(Object.keys(networks).map((name) => [name, networks[name].DriverOpts]));
  };

  await t.step("at the start, by the interface's name of this container", async () => {
    const lan = `name=lan,"driver-opt=${option}=${settings}",driver-opt=com.docker.network.endpoint.ifname=wan0`;
    await docker("run", "-d", "--name", "box", "--network", lan, image, "sleep", "1000");
    assertEquals(await read("wan0"), "1\n1");
    assertEquals(await docker("exec", "box", "cat", "/proc/sys/net/ipv4/conf/default/log_martians"), "0");
    // Its client writes options in lower case.
    const lower = settings.replaceAll("IFNAME", "ifname");
    assertEquals(await options(), { lan: { "com.docker.network.endpoint.ifname": "wan0", [option]: lower } });
  });
  await t.step("of a container that runs, and again at its next start", async () => {
    await docker("network", "connect", "--driver-opt", `"${option}=${settings}"`, "late", "box");
    assertEquals(await read("eth0"), "1\n1");
    await docker("restart", "-t", "0", "box");
    assertEquals([await read("eth0"), await read("wan0")], ["1\n1", "1\n1"]);
    assertEquals((await options()).late, { [option]: settings });
    await docker("network", "disconnect", "late", "box");
  });
  await t.step(
    "settings of others are refused, and those that the kernel does not have undo the connection",
    async () => {
      const connect = (text: string) =>
        server.docker("network", "connect", "--driver-opt", `${option}=${text}`, "late", "box");
      const named = await connect("net.ipv4.conf.eth0.log_martians=1");
      assertStringIncludes(named.stderr, "unrecognised network interface sysctl 'net.ipv4.conf.eth0.log_martians=1'");
      const body = { Container: "box", EndpointConfig: { DriverOpts: { [option]: "net.ipv4.conf.IFNAME.x" } } };
      assertEquals((await server.request("POST", "/networks/late/connect", { body })).status, 400);
      const missing = await connect("net.ipv4.conf.IFNAME.nothing=1");
      assertStringIncludes(missing.stderr, "/proc/sys/net/ipv4/conf/eth0/nothing is not a sysctl file");
      assertEquals(Object.keys(await options()), ["lan"]);
      assertEquals(await docker("exec", "box", "ls", "/sys/class/net"), "lo\nwan0");
      await docker("network", "connect", "late", "box");
    },
  );
});
