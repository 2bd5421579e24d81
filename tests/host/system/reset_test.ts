/** `gantry reset`: what a server and its containers have made is gone, and what is another's stays. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const cli = new URL("../../../lib/platform/entries/cli.ts", import.meta.url).pathname;

Deno.test("gantry reset asks, needs the root for itself, and removes what runs, mounts, bridges and files", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  await podman("pull", "-q", "--tls-verify=false", image);
  await podman("network", "create", "--subnet=10.217.93.0/24", "reset");
  await podman("run", "-d", "--name", "one", "--network", "reset", "-v", "kept:/data", image, "sleep", "1000");
  await podman("pod", "create", "--name", "duo");
  await podman("run", "-d", "--name", "two", "--pod", "duo", image, "sleep", "1000");
  const bridge = await podman("network", "inspect", "reset", "--format", "{{.NetworkInterface}}");
  const usual = await podman("network", "inspect", "podman", "--format", "{{.NetworkInterface}}");
  const pids = (await podman("inspect", "one", "two", "--format", "{{.State.Pid}}")).split("\n");
  const places = [`--root=${server.folder}/root`, `--runroot=${server.folder}/run`];
  const reset = (...args: string[]) => run([Deno.execPath(), "run", "-A", "--quiet", cli, "reset", ...places, ...args]);

  const busy = await reset("--force");
  assertEquals([busy.code, busy.stdout], [1, ""]);
  assertStringIncludes(busy.stderr, `Open root "${server.folder}/root": it is in use by another server`);
  await server.stop();
  const asked = await reset();
  assertEquals(asked.code, 1);
  assertStringIncludes(asked.stderr, "this would remove 3 containers, 1 pod, 1 network, 1 volume and 1 image");
  assert(pids.every(isAlive), "nothing was removed");

  await Deno.writeTextFile(`${server.folder}/root/not-ours`, "");
  const done = await reset("--force");
  assertEquals([done.code, done.stdout], [0, "gantry: removed 3 containers, 1 pod, 1 network, 1 volume and 1 image\n"]);
  assertStringIncludes(done.stderr, "root/not-ours stays");
  assertEquals([...Deno.readDirSync(`${server.folder}/root`)].map(({ name }) => name), ["not-ours"]);
  assert(!pids.some(isAlive), "containers are gone");
  const mounts = await Deno.readTextFile("/proc/self/mountinfo");
  assert(!mounts.includes(`${server.folder}/r`), "mounts are gone");
  for (const name of [bridge, usual]) assert(!isThere(`/sys/class/net/${name}`), `${name} is gone`);
  const again = await reset("--force");
  assertStringIncludes(again.stderr, "no server has been there");

  // The same folders serve again.
  await server.launch();
  assertEquals(await podman("images", "-q"), "");
});

function isAlive(pid: string): boolean {
  return isThere(`/proc/${pid}`);
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
