/** Pods with real containers, by Debian's podman as a remote client. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const SCRIPT = "echo ready; exec sleep 1000";

/** A session with the image pulled, and podman as a function. */
async function openSession() {
  const session = await Session.shared();
  const podman = async (...args: string[]) => ok(await session.server.podman(...args), args.join(" ")).trim();
  await podman("pull", "--tls-verify=false", session.image);
  return {
    session,
    image: session.image,
    podman,
    /** The state of a pod. */
    status: (pod: string) => podman("pod", "ps", "--filter", `name=^${pod}$`, "--format", "{{.Status}}"),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

Deno.test("podman --remote pod: the life of a pod, command by command", async () => {
  await using test = await openSession();
  const { podman, image, status, session: { server } } = test;
  const id = await podman("pod", "create", "--name", "shop", "--label", "tier=front");
  assertMatch(id, /^[0-9a-f]{64}$/);
  const twice = await server.podman("pod", "create", "--name", "shop");
  assertEquals(twice.code, 125);
  assertStringIncludes(twice.stderr, "pod already exists");
  assertEquals((await server.podman("pod", "exists", "shop")).code, 0);
  assertEquals((await server.podman("pod", "exists", "nothing")).code, 1);
  await podman("create", "--pod", "shop", "--name", "web", "--stop-timeout", "0", image, "sh", "-c", SCRIPT);
  assertEquals(await status("shop"), "Created");
  const steps: [command: string[], state: string][] = [
    [["start"], "Running"],
    [["kill"], "Exited"],
    [["start"], "Running"],
    [["stop", "-t", "1"], "Exited"],
    [["start"], "Running"],
  ];
  for (const [command, state] of steps) {
    await podman("pod", ...command, "shop");
    assertEquals(await status("shop"), state, command[0]);
  }
  await podman("stop", "-t", "0", "web");
  assertEquals(await status("shop"), "Degraded");
  await podman("pod", "restart", "shop");
  assertEquals(await status("shop"), "Running");
  const pod = readPod(await podman("pod", "inspect", "shop"));
  assertEquals(
    [pod.Id, pod.State, pod.NumContainers, pod.SharedNamespaces, pod.Labels.tier],
    [id, "Running", 2, ["ipc", "net", "uts"], "front"],
  );
  const listed = await podman("ps", "--pod", "--filter", "pod=shop", "--format", "{{.Names}} {{.PodName}}");
  assertEquals(listed.split("\n"), [`${id.slice(0, 12)}-infra shop`, "web shop"]);
  const top = await podman("pod", "top", "shop", "args");
  assertEquals(top.split("\n").map((line) => line.trim()).sort(), ["/catatonit -P", "COMMAND", "sleep 1000"]);
  assertMatch(await podman("pod", "logs", "-c", "web", "shop"), /^(ready\s*)+$/);
  const running = await server.podman("pod", "rm", "shop");
  assert(running.code !== 0);
  assertStringIncludes(running.stderr, "as it is running");
  assertEquals(await podman("pod", "rm", "-f", "-t", "0", "shop"), id);
  assertEquals([await podman("ps", "-aq"), await podman("pod", "ps", "-q")], ["", ""]);
  const ended = await podman("pod", "create", "--name", "ended");
  await podman("pod", "start", "ended");
  await podman("pod", "create", "--name", "fresh");
  await podman("pod", "stop", "ended");
  assertEquals(await podman("pod", "prune", "-f"), ended);
  assertEquals(await podman("pod", "ps", "--format", "{{.Name}}"), "fresh");
});

Deno.test("podman --remote pod stats, pause, unpause", async () => {
  await using test = await openSession();
  const { podman, image, status } = test;
  const id = await podman("pod", "create", "--name", "shop");
  await podman("run", "-d", "--pod", "shop", "--name", "web", "--stop-timeout", "0", image, "sh", "-c", SCRIPT);
  const stats = JSON.parse(await podman("pod", "stats", "--no-stream", "--format", "json", "shop"));
  assertEquals(stats.map(({ Name }: { Name: string }) => Name), [`${id.slice(0, 12)}-infra`, "web"]);
  await podman("pod", "pause", "shop");
  assertEquals(await status("shop"), "Paused");
  await podman("pod", "unpause", "shop");
  assertEquals(await status("shop"), "Running");
});

Deno.test("containers of a pod share its network, names and IPC, and its ports lead to them", async () => {
  await using test = await openSession();
  const { podman, image, session: { server } } = test;
  const serve = "mkdir -p /tmp/www; echo served > /tmp/www/index.html; exec httpd -f -p 80 -h /tmp/www";
  await podman(
    ...["pod", "create", "--name", "shop", "-p", "127.0.0.1::80", "--hostname", "front", "--share", "net,ipc,uts,pid"],
    ...["--add-host", "db:10.0.0.9", "--dns", "192.0.2.53"],
  );
  await podman("run", "-d", "--pod", "shop", "--name", "web", image, "sh", "-c", serve);
  await until(async () => assertEquals(await podman("run", "--rm", "--pod", "shop", image, ...FETCH), "served"));
  const address = await podman("ps", "--filter", "name=web", "--format", "{{.Ports}}");
  const [, port] = address.match(/^127\.0\.0\.1:(\d+)->80\/tcp$/) ?? [];
  assertEquals((await (await fetch(`http://127.0.0.1:${port}/`)).text()).trim(), "served", address);
  const seen = await podman("exec", "web", "sh", "-c", "hostname; cat /etc/hosts /etc/resolv.conf; ps");
  assertMatch(seen, /^front\n/);
  assertMatch(seen, /^10\.0\.0\.9\s+db$/m);
  assertMatch(seen, /^nameserver 192\.0\.2\.53$/m);
  assertMatch(seen, /^ +1 .*\/catatonit -P$/m, "the pause program is the first process of all");
  const other = await podman("run", "-d", "--pod", "shop", image, "sleep", "1000");
  const link = (name: string, kind: string) => podman("exec", name, "readlink", `/proc/self/ns/${kind}`);
  for (const kind of ["net", "ipc", "uts", "pid"]) assertEquals(await link("web", kind), await link(other, kind), kind);
  assert(await link("web", "mnt") !== await link(other, "mnt"), "files are each container's own");
  await server.crash();
  assertEquals(await test.status("shop"), "Running", "a server that is killed and started again finds the pod");
  assertEquals((await (await fetch(`http://127.0.0.1:${port}/`)).text()).trim(), "served");
  const refused = await server.podman("run", "--pod", "shop", "-p", "81:81", image, "true");
  assertStringIncludes(refused.stderr, "published or exposed ports must be defined when the pod is created");
  await podman("pod", "rm", "-f", "-t", "0", "shop");
});

Deno.test("containers of a pod share its limits", async () => {
  await using test = await openSession();
  const { podman, image } = test;
  await podman("pod", "create", "--name", "shop", "--memory", "96m", "--cpus", "0.5");
  await podman("run", "-d", "--pod", "shop", image, "sleep", "1000");
  const { CgroupPath } = readPod(await podman("pod", "inspect", "shop"));
  assertEquals(memoryLimit(CgroupPath), String(96 << 20), "all containers together");
  await podman("pod", "rm", "-f", "-t", "0", "shop");
  await until(() => Promise.resolve(assertEquals(memoryLimit(CgroupPath), undefined, "its cgroup has gone")));
});

/** The pod that the client shows: from version 5 on it shows a list. */
function readPod(text: string) {
  return [JSON.parse(text)].flat()[0];
}

const FETCH = ["wget", "-q", "-O", "-", "http://localhost/"];

/** The memory limit of a cgroup, in bytes, of either version; `undefined` where there is no such cgroup. */
function memoryLimit(path: string): string | undefined {
  for (const file of [`memory${path}/memory.limit_in_bytes`, `${path}/memory.max`]) {
    try {
      return Deno.readTextFileSync(`/sys/fs/cgroup/${file}`).trim();
    } catch {
      // Of the other version, or gone.
    }
  }
  return undefined;
}

Deno.test("podman --remote run --pod new: makes a pod; --init-ctr runs first; the infra container goes last", async () => {
  await using test = await openSession();
  const { podman, image, status, session: { server } } = test;
  await podman("run", "-d", "--pod", "new:fresh", "--name", "first", image, "sleep", "1000");
  assertEquals(await status("fresh"), "Running");
  const infra = await podman("pod", "ps", "--filter", "name=fresh", "--format", "{{.InfraID}}", "--no-trunc");
  const refused = await server.podman("rm", "-f", infra);
  assertStringIncludes(refused.stderr, "cannot be removed without removing the pod");
  await podman("rm", "-f", "-t", "0", "--depend", infra);
  assertEquals([await podman("ps", "-aq"), await podman("pod", "ps", "-q")], ["", ""], "the pod went with it");
  await podman("pod", "create", "--name", "staged");
  await podman("create", "--pod", "staged", "--init-ctr", "once", "--name", "once", image, "true");
  await podman("create", "--pod", "staged", "--init-ctr", "always", "--name", "always", image, "date", "+%s%N");
  await podman("create", "--pod", "staged", "--name", "main", image, "sleep", "1000");
  await podman("pod", "start", "staged");
  assertMatch(
    await podman("ps", "-a", "--filter", "name=once|always", "--format", "{{.Names}} {{.Status}}"),
    /^always Exited \(0\)/,
  );
  assertEquals(await status("staged"), "Running");
  await podman("pod", "stop", "-t", "0", "staged");
  await podman("pod", "start", "staged");
  assertEquals((await podman("logs", "always")).split("\n").length, 2, "it ran at both starts");
  await podman("create", "--pod", "new:failing", "--init-ctr", "once", "--name", "bad", image, "false");
  const failed = await server.podman("pod", "start", "failing");
  assertStringIncludes(failed.stderr, "exited with code 1");
});

Deno.test("a pod without a network of its own, one without an infra container and one that stops with its last container", async () => {
  await using test = await openSession();
  const { podman, image, status, session: { server } } = test;
  await podman("pod", "create", "--name", "host", "--network", "host");
  const links = await podman("run", "--rm", "--pod", "host", image, "ls", "/sys/class/net");
  assertEquals(links.split("\n").includes("lo"), true);
  assertEquals(
    await podman("run", "--rm", "--pod", "host", image, "hostname"),
    "host",
    "its name is its own all the same",
  );
  await podman("pod", "create", "--name", "bare", "--infra=false");
  await podman("run", "-d", "--pod", "bare", "--name", "alone", image, "sleep", "1000");
  assertEquals(await podman("pod", "inspect", "bare", "--format", "{{.CreateInfra}} {{.NumContainers}}"), "false 1");
  const made = await server.request("POST", "/v5.0.0/libpod/pods/create", {
    body: { name: "brief", exit_policy: "stop", restart_policy: "on-failure", restart_tries: 1 },
  });
  assertEquals(made.status, 201, await made.text());
  await podman("run", "-d", "--pod", "brief", "--name", "job", image, "sleep", "1000");
  assertEquals(await podman("inspect", "job", "--format", "{{.HostConfig.RestartPolicy.Name}}"), "on-failure");
  await podman("stop", "-t", "0", "job");
  await until(async () => assertEquals(await status("brief"), "Exited"));
});
