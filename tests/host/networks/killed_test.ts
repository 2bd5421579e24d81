/** A server that is killed while networks change leaves what its records say, and no more. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

const kills = isLongRun ? 100 : 3;
/** Subnets by which rules and routes of this test are told from others. */
const LANS = ["10.67.1.0/24", "10.67.2.0/24"];

Deno.test(`${kills} kills amid connects, disconnects and network lives leak no interface, rule, name or record`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  for (const [i, subnet] of LANS.entries()) await podman("network", "create", "--subnet", subnet, `lan${i}`);
  await podman("run", "-d", "--name", "c", "--network", "lan0", "-p", "127.0.0.1::80", image, "sleep", "10000");
  const send = async (method: string, path: string, body?: unknown) => {
    // Whatever a dying server answers, or does not.
    await server.request(method, `/v5.0.0/libpod/networks/${path}`, { body }).then((reply) => reply.text(), () => "");
  };
  for (let kill = 0; kill < kills; kill++) {
    let goesOn = true;
    const change = async () => {
      while (goesOn) {
        await send("POST", "lan1/connect", { container: "c", aliases: ["x"] });
        await send("POST", "lan1/disconnect", { Container: "c" });
      }
    };
    const live = async () => {
      while (goesOn) {
        await send("POST", "create", { name: "short", subnets: [{ subnet: "10.67.3.0/24" }], dns_enabled: true });
        await send("POST", "short/connect", { container: "c" });
        await send("POST", "short/disconnect", { Container: "c" });
        await send("DELETE", "short");
      }
    };
    const load = [change(), live()];
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 1500));
    await server.stop("SIGKILL");
    goesOn = false;
    await Promise.all(load);
    await server.launch();
    const [{ NetworkSettings }] = JSON.parse(await podman("inspect", "c"));
    const names = Object.keys(NetworkSettings.Networks);
    const links = (await podman("exec", "c", "ls", "/sys/class/net")).trim().split(/\s+/).filter((name) =>
      name !== "lo"
    );
    assertEquals(links.length, names.length, `kill ${kill}: ${names} by ${links}`);
    assert(names.includes("lan0"), `kill ${kill}: ${names}`);
  }
  await podman("rm", "-f", "-t", "0", "c");
  const listed = await podman("network", "ls", "--format", "{{.Name}}");
  for (const name of listed.trim().split("\n").filter((name) => name !== "podman")) await podman("network", "rm", name);
  await until(async () => {
    for (const command of [["iptables-save"], ["nft", "list", "ruleset"], ["ip", "addr"]]) {
      const { stdout } = await new Deno.Command(command[0], { args: command.slice(1) }).output();
      const left = new TextDecoder().decode(stdout).split("\n").filter((line) => /\b10\.67\.[123]\./.test(line));
      assertEquals(left, [], command.join(" "));
    }
    const notes = await Array.fromAsync(Deno.readDir("/var/lib/gantry-networks"), ({ name }) => name);
    for (const name of notes.filter((name) => !name.startsWith("."))) {
      const note = await Deno.readTextFile(`/var/lib/gantry-networks/${name}`).catch(() => "");
      assert(!/10\.67\.[123]\./.test(note), `${name} is still noted: ${note}`);
    }
  });
});

Deno.test("a network and a volume that were answered, and their events, are there after a kill in the same moment", async () => {
  await using session = await Session.start();
  const { server } = session;
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await server.request(method, `/v5.0.0/libpod/${path}`, { body });
    const text = await reply.text();
    assert(reply.status < 300, `${method} ${path}: ${reply.status} ${text}`);
    return text;
  };
  /** The events so far, as `network create lan0`. */
  const events = async () =>
    (await call("GET", "events?stream=false&since=1")).trim().split("\n").map((line) => {
      const { Type, Action, Actor } = JSON.parse(line);
      return `${Type} ${Action} ${Actor.Attributes.name ?? Actor.ID}`;
    });
  const killAfter = async (method: string, path: string, body?: unknown) => {
    await call(method, path, body);
    await server.stop("SIGKILL");
    await server.launch();
  };
  await killAfter("POST", "networks/create", { name: "kept" });
  await killAfter("POST", "volumes/create", { Name: "kept-volume" });
  assertEquals(JSON.parse(await call("GET", "networks/kept/json")).name, "kept");
  assertEquals(JSON.parse(await call("GET", "volumes/kept-volume/json")).Name, "kept-volume");
  await killAfter("DELETE", "networks/kept");
  await killAfter("DELETE", "volumes/kept-volume");
  for (const path of ["networks/kept/json", "volumes/kept-volume/json"]) {
    const reply = await server.request("GET", `/v5.0.0/libpod/${path}`);
    await reply.text();
    assertEquals(reply.status, 404, path);
  }
  const wanted = [
    "network create kept",
    "volume create kept-volume",
    "network remove kept",
    "volume remove kept-volume",
  ];
  const told = await events();
  assertEquals(told.filter((event) => wanted.includes(event)), wanted, told.join(", "));
});
