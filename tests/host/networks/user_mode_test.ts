/** Networks that pasta and slirp4netns carry: who calls is seen, what ends lets its ports go, and the next server knows them. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../../fixtures/images/registry.ts";
import { ordinaryUser, userDenoWithTun } from "../../fixtures/ordinary_user.ts";
import { otherMachine } from "../../fixtures/other_machine.ts";
import { ok, run, runOk } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const WEB = ["sh", "-c", "mkdir /www; echo page > /www/index.html; exec httpd -f -vv -p 80 -h /www"];

for (const program of ["pasta", "slirp4netns"] as const) {
  Deno.test(`--network ${program} publishes ports, which the next server still knows`, async () => {
    await using session = await Session.shared();
    await using machine = await otherMachine();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);
    const [port, single] = [await freePort(), await freePort()];
    const body = {
      image,
      name: "web",
      command: WEB,
      netns: { nsmode: program },
      network_options: { [program]: program === "pasta" ? ["--mtu", "1400"] : ["mtu=1400"] },
      portmappings: [
        { host_port: port, container_port: 80 },
        { host_ip: "127.0.0.1", host_port: single, container_port: 80 },
      ],
    };
    const create = async (changes: object) => {
      const reply = await server.request("POST", "/v5.0.0/libpod/containers/create", { body: { ...body, ...changes } });
      return { status: reply.status, text: await reply.text() };
    };
    assertEquals((await create({})).status, 201);
    await podman("start", "web");
    const get = (address: string) => run(["curl", "-sf", "-m", "5", `http://${address}/`]);
    await until(async () => assertEquals((await get(`127.0.0.1:${single}`)).stdout, "page\n"));
    assertEquals((await get(`127.0.0.1:${port}`)).stdout, "page\n");
    // Another machine reaches the port of every address, and not that of the loopback; the container sees its address.
    assertEquals(await machine.run("curl", "-sf", "-m", "5", `http://${machine.gateway}:${port}/`), "page\n");
    assertNotEquals((await machine.try("curl", "-sf", "-m", "2", `http://${machine.gateway}:${single}/`)).code, 0);
    const logged = async () => (await server.podman("logs", "web")).stderr;
    await until(async () => assertStringIncludes(await logged(), `${machine.address}]:`));
    assertStringIncludes(await podman("exec", "web", "ip", "link"), "mtu 1400");

    const [inspected] = JSON.parse(await podman("inspect", "web"));
    const option = program === "pasta" ? "--mtu=1400" : "mtu=1400";
    assertEquals(inspected.HostConfig.NetworkMode, `${program}:${option}`);
    const { IPAddress, Ports } = inspected.NetworkSettings;
    assertMatch(IPAddress, program === "pasta" ? /^[\d.]+$/ : /^10\.0\.2\.100$/);
    assertEquals(Ports["80/tcp"].length, 2);
    const compat = await (await server.request("GET", "/v1.41/containers/web/json")).json();
    assertEquals(compat.HostConfig.NetworkMode, `${program}:${option}`);

    // The machine's loopback is out of reach, unless an option says otherwise.
    const inside = await freePort();
    await using _listener = Deno.serve(
      { hostname: "127.0.0.1", port: inside, onListen() {} },
      () => new Response("secret"),
    );
    const gateway = program === "pasta"
      ? (await podman("exec", "web", "sh", "-c", "ip route | sed -n 's/default via //p'")).split(" ")[0]
      : "10.0.2.2";
    const ask = ["sh", "-c", `printf "GET / HTTP/1.0\r\n\r\n" | timeout 3 nc ${gateway} ${inside}; true`];
    assert(!(await server.podman("exec", "web", ...ask)).stdout.includes("secret"));
    const open = program === "pasta" ? "pasta:--map-gw" : "slirp4netns:allow_host_loopback=true";
    const compatBody = { Image: image, Cmd: ask, HostConfig: { NetworkMode: open } };
    const made = await (await server.request("POST", "/v1.41/containers/create?name=open", { body: compatBody }))
      .json();
    assertStringIncludes(await podman("start", "-a", made.Id), "secret");

    // A port that is taken, and one that the program does not know.
    await create({ name: "second", network_options: {} });
    const taken = await server.podman("start", "second");
    assertStringIncludes(taken.stderr, "address already in use");
    await create({ name: "sctp", portmappings: [{ host_port: 0, container_port: 9, protocol: "sctp" }] });
    assertStringIncludes((await server.podman("start", "sctp")).stderr, `${program} does not carry SCTP`);
    const refused = await create({ name: "third", network_options: { [program]: ["--pcap=/x"] } });
    assertStringIncludes(refused.text, `network ${program}: unknown option`);

    assertEquals((await server.stop()).code, 0);
    await server.launch();
    assertEquals((await get(`127.0.0.1:${port}`)).stdout, "page\n");
    await podman("restart", "-t", "0", "web");
    await until(async () => assertEquals((await get(`127.0.0.1:${port}`)).stdout, "page\n"));
    await podman("rm", "-f", "-t", "0", "web");
    assertNotEquals((await get(`127.0.0.1:${port}`)).code, 0);
    await until(async () => assertEquals((await run(["pgrep", "-f", `${program}.*${server.folder}`])).stdout, ""));
  });
}

Deno.test("--network pasta and slirp4netns name the package where the program is missing", async () => {
  const layer = await Deno.makeTempDir();
  const hide = `mkdir "$0/upper" "$0/work" && PATH=/usr/sbin:/usr/bin
    mount -t overlay -o "lowerdir=/usr/bin,upperdir=$0/upper,workdir=$0/work" programs /usr/bin || exit
    rm -f /usr/bin/pasta /usr/bin/slirp4netns; exec "$@"`;
  await using session = await Session.start({ through: ["unshare", "--mount", "sh", "-c", hide, layer] });
  const { server, image } = session;
  await runOk(["podman", "--remote", "--url", server.addresses[0]!, "pull", "-q", image]);
  for (const [program, name] of [["pasta", "passt"], ["slirp4netns", "slirp4netns"]]) {
    const body = { image, name: program, command: ["true"], netns: { nsmode: program } };
    assertEquals((await server.request("POST", "/v5.0.0/libpod/containers/create", { body })).status, 201);
    const reply = await server.request("POST", `/v5.0.0/libpod/containers/${program}/start`);
    const text = await reply.text();
    assertEquals(reply.status, 501, text);
    assertStringIncludes(text, `${program} is not installed (package ${name})`);
  }
  await Deno.remove(layer, { recursive: true });
});

Deno.test("--network pasta of an ordinary user shows containers who calls, and carries what bridges send out", async () => {
  await using user = await ordinaryUser();
  const { folder } = user;
  {
    await using session = await Session.start({ folder, through: userDenoWithTun(user, "open") });
    await using machine = await otherMachine();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);
    const ports = { pasta: await freePort(), slirp4netns: await freePort() };
    for (const [name, userns] of [["pasta", undefined], ["slirp4netns", { nsmode: "keep-id" }]] as const) {
      const portmappings = [{ host_port: ports[name], container_port: 80 }];
      const body = { image, name, command: WEB, user: "0", netns: { nsmode: name }, portmappings, userns };
      const made = await server.request("POST", "/v5.0.0/libpod/containers/create", { body });
      assertEquals(made.status, 201, await made.text());
      await podman("start", name);
      const url = `http://${machine.gateway}:${ports[name]}/`;
      await until(async () => assertEquals(await machine.run("curl", "-sf", "-m", "5", url), "page\n"));
      const logged = async () => (await server.podman("logs", name)).stderr;
      await until(async () => assertStringIncludes(await logged(), `${machine.address}]:`));
    }
    await podman("rm", "-f", "-t", "0", "-a");
    for (const port of Object.values(ports)) {
      assertNotEquals((await machine.try("curl", "-sf", "-m", "2", `http://${machine.gateway}:${port}/`)).code, 0);
    }
    // From a bridge, by the pasta of all bridges.
    await using _listener = Deno.serve(
      { hostname: machine.gateway, port: ports.pasta, onListen() {} },
      () => new Response("outside"),
    );
    const ask = `printf "GET / HTTP/1.0\\r\\n\\r\\n" | timeout 3 nc ${machine.gateway} ${ports.pasta}; true`;
    assertStringIncludes(await podman("run", "--rm", image, "sh", "-c", ask), "outside");
  }
});
