/** testcontainers: its reaper's pattern, and (in long runs, where npm is asked for it) the library itself. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { nodeProgram } from "../../fixtures/platform/test_cache.ts";
import { ok, run, runOk } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

const LABEL = "org.example.session";

/**
 * The reaper: it takes a label of a client, waits until the client is gone, and removes what has the label through the socket that
 * it was given. The host's curl, with its libraries, is lent to it.
 */
const REAPER = `nc -l -p 8080 > /label
ask() { curl -sf --unix-socket /var/run/docker.sock "$@"; }
named() { ask -G "http://d/$1" --data-urlencode "filters={\\"label\\":[\\"$(cat /label)\\"]}" | grep -o "\\"$2\\":\\"[^\\"]*\\"" | cut -d'"' -f4; }
for id in $(named "containers/json?all=1" Id); do ask -X DELETE "http://d/containers/$id?force=1&v=1"; done
for id in $(named networks Id); do ask -X DELETE "http://d/networks/$id"; done
for name in $(named volumes Name); do ask -X DELETE "http://d/volumes/$name"; done
echo reaped`;
const LENT = ["/usr:/usr:ro", "/usr/lib:/lib:ro", "/usr/lib64:/lib64:ro"].flatMap((mount) => ["-v", mount]);

Deno.test("a reaper with the socket removes what a client has left, and nothing of another's", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" ")).trim();
  await docker("pull", image);
  const left = async (name: string) => {
    const kinds = [["ps", "-aq"], ["network", "ls", "-q"], ["volume", "ls", "-q"]];
    const lists = await Promise.all(kinds.map((args) => docker(...args, "--filter", `label=${LABEL}=${name}`)));
    return lists.map((list) => list.split("\n").filter((line) => line !== "").length);
  };
  const begin = async (name: string) => {
    const label = ["--label", `${LABEL}=${name}`];
    await docker("network", "create", ...label, `net-${name}`);
    await docker("volume", "create", ...label, `data-${name}`);
    const options = [...label, "--network", `net-${name}`, "-v", `data-${name}:/data`, "--init"];
    await docker("run", "-d", ...options, "--network-alias", "db", image, "sleep", "1000");
    await docker("run", "-d", ...options, "--network-alias", "web", image, "sleep", "1000");
    const mounts = ["-v", `${server.socket}:/var/run/docker.sock`, ...LENT];
    const reaper = await docker("run", "-d", "-p", "127.0.0.1::8080", ...mounts, image, "sh", "-c", REAPER);
    const port = Number((await docker("port", reaper, "8080")).split(":").at(-1));
    const client = await until(() => Deno.connect({ hostname: "127.0.0.1", port }));
    await client.write(new TextEncoder().encode(`${LABEL}=${name}\n`));
    return { reaper, client };
  };
  const [one, other] = await Promise.all([begin("one"), begin("other")]);
  assertEquals([await left("one"), await left("other")], [[2, 1, 1], [2, 1, 1]]);
  one.client.close();
  await until(async () => assertEquals(await docker("logs", one.reaper), "reaped"));
  assertEquals([await left("one"), await left("other")], [[0, 0, 0], [2, 1, 1]]);
  other.client.close();
  await until(async () => assertEquals(await left("other"), [0, 0, 0]));
});

const PROGRAM = `import { GenericContainer, Network, Wait } from "testcontainers";
import assert from "node:assert/strict";
const image = process.env.IMAGE;
const project = async () => {
  const network = await new Network().start();
  const make = () => new GenericContainer(image).withNetwork(network);
  const served = ["sh", "-c", "echo listening; while true; do echo hello | nc -l -p 5432; done"];
  const db = await make().withNetworkAliases("db").withCommand(served).withWaitStrategy(Wait.forLogMessage("listening")).start();
  const web = await make().withExposedPorts(80).withTmpFs({ "/scratch": "rw,size=1m" }).withEnvironment({ A: "b" })
    .withCopyContentToContainer([{ content: "index", target: "/www/index.html" }])
    .withBindMounts([{ source: process.env.SHARED, target: "/bound", mode: "ro" }])
    .withHealthCheck({ test: ["CMD-SHELL", "test -e /www/index.html"], interval: 200, retries: 20, timeout: 1000 })
    .withUlimits({ nofile: { hard: 2000, soft: 1000 } }).withCommand(["httpd", "-f", "-p", "80", "-h", "/www"])
    .withWaitStrategy(Wait.forAll([Wait.forHealthCheck(), Wait.forListeningPorts(), Wait.forHttp("/index.html", 80)])).start();
  const page = await fetch("http://127.0.0.1:" + web.getMappedPort(80) + "/index.html");
  assert.equal(await page.text(), "index");
  const { stdout, exitCode } = await web.exec(["sh", "-c", "nc -w 1 db 5432 < /dev/null; ulimit -n; ls /bound; echo $A; exit 3"]);
  assert.deepEqual([stdout, exitCode], ["hello\\n1000\\nfile\\nb\\n", 3]);
  await web.restart({ timeout: 0 });
  let size = 0;
  for await (const piece of await web.copyArchiveFromContainer("/www")) size += piece.length;
  assert(size > 512);
  for (const one of [web, db]) await one.stop({ timeout: 0, remove: true, removeVolumes: true });
  await network.stop();
};
await Promise.all([project(), project()]);
const reused = () => new GenericContainer(image).withCommand(["sleep", "1000"]).withReuse().start();
const [first, second] = [await reused(), await reused()];
assert.equal(first.getId(), second.getId());
await first.stop({ timeout: 0 });
console.log("passed");
process.exit(0);
`;

if (isLongRun) {
  Deno.test("testcontainers 12: networks, aliases, mounts, copies, waits, reuse, two projects at once", async () => {
    await using session = await Session.shared();
    const { server, image } = session;
    const [folder, shared] = [`${server.folder}/program`, `${server.folder}/shared`];
    for (const path of [folder, shared]) await Deno.mkdir(path);
    await Deno.writeTextFile(`${shared}/file`, "");
    await Deno.writeTextFile(`${folder}/package.json`, '{"type":"module"}');
    await Deno.writeTextFile(`${folder}/program.mjs`, PROGRAM);
    console.log("asking npm for testcontainers");
    const install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "testcontainers@12.0.4"];
    await runOk(install, { cwd: folder, timeout: 300_000 });
    ok(await server.docker("pull", image));
    const env = {
      ...Deno.env.toObject(),
      DOCKER_HOST: server.addresses[0],
      TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1",
      TESTCONTAINERS_REUSE_ENABLE: "true",
      // Its reaper's image is not to be had here; the test above has the pattern.
      TESTCONTAINERS_RYUK_DISABLED: "true",
      IMAGE: image,
      SHARED: shared,
    };
    const result = await run([await nodeProgram(), "program.mjs"], { cwd: folder, env, timeout: 180_000 });
    assertStringIncludes(result.stdout, "passed", result.stderr);
  });
}
