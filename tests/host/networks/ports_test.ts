/** Published ports with real clients: chosen ones, ranges, every protocol, all exposed ones, and many at once. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const WEB = ["sh", "-c", "mkdir /www; echo here > /www/index.html; exec httpd -f -p 8000 -h /www"];

Deno.test("ports are published by podman and docker as they ask, and shown as Docker shows them", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  const portsOf = async (name: string) => JSON.parse(await docker("inspect", name))[0].NetworkSettings.Ports;
  const fetchText = (port: string | number) =>
    until(async () => await (await fetch(`http://127.0.0.1:${port}/`)).text());

  await t.step("-P publishes what is exposed, on any free port, for every protocol", async () => {
    await podman("run", "-d", "--name", "all", "-P", "--expose", "8000", "--expose", "53/udp", image, ...WEB);
    const ports = await portsOf("all");
    assertEquals(Object.keys(ports).sort(), ["53/udp", "8000/tcp"]);
    assertMatch(ports["8000/tcp"][0].HostPort, /^[1-9]\d+$/);
    assertEquals(await fetchText(ports["8000/tcp"][0].HostPort), "here\n");
  });

  await t.step("exposed ports that are not published are shown without bindings", async () => {
    await docker("run", "-d", "--name", "exposed", "--expose", "81", "-p", "127.0.0.1::8000", image, ...WEB);
    const ports = await portsOf("exposed");
    assertEquals(ports["81/tcp"], null);
    assertEquals(ports["8000/tcp"][0].HostIp, "127.0.0.1");
    assertEquals((await docker("port", "exposed")).trim(), `8000/tcp -> 127.0.0.1:${ports["8000/tcp"][0].HostPort}`);
    assertMatch(await docker("ps", "--filter", "name=exposed", "--format", "{{.Ports}}"), /81\/tcp, 127\.0\.0\.1:/);
  });

  await t.step("a range of the host is a choice for docker, and a block for podman", async () => {
    const taken = (await portsOf("all"))["8000/tcp"][0].HostPort;
    const first = Number(taken);
    await docker("run", "-d", "--name", "choice", "-p", `${first}-${first + 20}:8000`, image, ...WEB);
    const [{ HostPort }] = (await portsOf("choice"))["8000/tcp"];
    assert(Number(HostPort) > first && Number(HostPort) <= first + 20, HostPort);
    const begin = 21_000 + Math.floor(Math.random() * 5000);
    await podman("run", "-d", "--name", "block", "-p", `${begin}-${begin + 3}:7998-8001`, image, ...WEB);
    assertEquals(await fetchText(begin + 2), "here\n");
    const clash = await server.podman("run", "-d", "-p", `${begin + 1}:80`, image, "true");
    assert(clash.stderr.includes("address already in use"), clash.stderr);
  });

  await t.step(
    "docker's ports are open to IPv6 too, loopback and one address included, wherever they lead",
    async () => {
      const port = 19_000 + Math.floor(Math.random() * 500);
      await docker("network", "create", "--ipv6", "six");
      for (const [index, network] of ["bridge", "six"].entries()) {
        const [both, one] = [port + 10 * index, port + 10 * index + 1];
        const name = `dual-${network}`;
        await docker(
          "run",
          "-d",
          "--name",
          name,
          "--network",
          network,
          "-p",
          `${both}:8000`,
          "-p",
          `[::1]:${one}:8000`,
          image,
          ...WEB,
        );
        assertEquals(await docker("port", name, "8000"), `0.0.0.0:${both}\n[::1]:${one}\n[::]:${both}\n`);
        assertEquals((await portsOf(name))["8000/tcp"][1], { HostIp: "::", HostPort: `${both}` });
        const shown = await docker("inspect", "--format", "{{json .HostConfig.PortBindings}}", name);
        assertEquals(JSON.parse(shown)["8000/tcp"][0], { HostIp: "", HostPort: `${both}` });
        for (const address of [`127.0.0.1:${both}`, `[::1]:${both}`, `[::1]:${one}`]) {
          const text = await until(async () => await (await fetch(`http://${address}/`)).text());
          assertEquals(text, "here\n", address);
        }
        const clash = await server.docker("run", "--rm", "-p", `[::1]:${one}:80`, image, "true");
        assert(clash.stderr.includes(`listen tcp6 [::1]:${one}: bind: address already in use`), clash.stderr);
        await docker("restart", "-t", "0", name);
        assertEquals(await until(async () => await (await fetch(`http://[::1]:${both}/`)).text()), "here\n");
        await docker("rm", "-f", name);
        const refused = await fetch(`http://[::1]:${both}/`).then(() => "answered", () => "refused");
        assertEquals(refused, "refused");
      }
      await docker("network", "rm", "six");
      // Podman's are of IPv4 alone, unless they name an address of IPv6.
      await podman("run", "-d", "--name", "single", "-p", `${port}:8000`, image, ...WEB);
      assertEquals((await portsOf("single"))["8000/tcp"], [{ HostIp: "0.0.0.0", HostPort: `${port}` }]);
    },
  );

  await t.step("SCTP is published beside TCP and UDP of the same number", async () => {
    const port = 26_000 + Math.floor(Math.random() * 3000);
    const each = ["tcp", "udp", "sctp"].flatMap((protocol) => ["-p", `${port}:99/${protocol}`]);
    await podman("run", "-d", "--name", "protocols", ...each, image, "sleep", "1000");
    assertEquals(Object.keys(await portsOf("protocols")).sort(), ["99/sctp", "99/tcp", "99/udp"]);
    const { stdout } = await new Deno.Command("nft", { args: ["list", "table", "inet", "gantry"] }).output();
    assert(new TextDecoder().decode(stdout).includes(`sctp . ${port}`));
  });

  await t.step("32 ports are published together, follow a change of networks and go together", async () => {
    const begin = 30_000 + Math.floor(Math.random() * 2000);
    const each = Array.from({ length: 32 }, (_, i) => ["-p", `127.0.0.1:${begin + i}:8000`]).flat();
    await podman("network", "create", "lan");
    await podman("run", "-d", "--name", "many", ...each, image, ...WEB);
    assertEquals(await fetchText(begin + 31), "here\n");
    await podman("network", "connect", "lan", "many");
    await podman("network", "disconnect", "podman", "many");
    assertEquals(await fetchText(begin), "here\n");
    await podman("rm", "-f", "-t", "0", "many");
    await podman("run", "-d", "--name", "many", ...each, image, ...WEB);
    assertEquals(await fetchText(begin + 5), "here\n");
  });
});

Deno.test("IPv6 ports of all containers have one process, which outlives the server and has a successor when it is killed", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await docker("pull", "-q", image);
  const port = 19_600 + Math.floor(Math.random() * 300);
  const names = ["six0", "six1"];
  for (const [index, name] of names.entries()) {
    await docker("run", "-d", "--name", name, "-p", `[::1]:${port + index}:8000`, image, ...WEB);
  }
  const pid = async () => JSON.parse(await Deno.readTextFile(`${server.folder}/run/forwards/program`)).pid as number;
  const answer = async () => {
    for (const index of names.keys()) {
      assertEquals(await until(async () => await (await fetch(`http://[::1]:${port + index}/`)).text()), "here\n");
    }
  };
  await answer();
  const first = await pid();
  await server.crash();
  await answer();
  assertEquals(await pid(), first);
  Deno.kill(first, "SIGKILL");
  await answer();
  // Nobody is there who would see it.
  await server.stop("SIGKILL");
  Deno.kill(await pid(), "SIGKILL");
  await server.launch();
  await answer();
  const last = await pid();
  await docker("rm", "-f", ...names);
  for (const index of names.keys()) {
    const refused = await fetch(`http://[::1]:${port + index}/`).then(() => "answered", () => "refused");
    assertEquals(refused, "refused");
  }
  await until(async () => {
    const left = await Deno.readTextFile(`/proc/${last}/cmdline`).catch(() => "");
    assert(left === "", "the process has ended with the last ports");
  });
});
