/** Pods in the native tree, over an engine with a fake kernel and over one without any. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** A reply as tests look at it. */
// deno-lint-ignore no-explicit-any -- the fields of a foreign JSON text
type Reply = { status: number; body: any };

async function send(test: TestEngine, method: string, path: string, body?: unknown): Promise<Reply> {
  const reply = await test.send(method, `/libpod${path}`, body);
  const text = await reply.text();
  return { status: reply.status, body: reply.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
}

/** Makes the pod `shop` with the container `web`. */
async function makeShop(test: TestEngine, pod: Record<string, unknown> = {}): Promise<string> {
  const { body } = await send(test, "POST", "/pods/create", { name: "shop", infra_name: "hold", ...pod });
  await send(test, "POST", "/containers/create", { image: TINY_NAME, name: "web", pod: "shop" });
  return body.Id;
}

function query(filters: unknown): string {
  return `filters=${encodeURIComponent(typeof filters === "string" ? filters : JSON.stringify(filters))}`;
}

Deno.test("PodCreate makes a pod that is listed and inspected with all that was asked for", async () => {
  await using test = await openTestEngine();
  const made = await send(test, "POST", "/pods/create", {
    name: "shop",
    hostname: "front",
    labels: { tier: "a" },
    exit_policy: "stop",
    restart_policy: "on-failure",
    restart_tries: 3,
    shared_namespaces: ["net", "uts"],
    infra_name: "hold",
    pod_create_command: ["podman", "pod", "create"],
    netns: { nsmode: "bridge" },
    portmappings: [{ host_port: 8080, container_port: 80, protocol: "tcp", range: 1 }],
    dns_server: ["9.9.9.9"],
    dns_search: ["example.com"],
    hostadd: ["db:10.0.0.9"],
    resource_limits: { memory: { limit: 67108864 }, cpu: { quota: 50000, period: 100000, cpus: "0" } },
    security_opt: ["no-new-privileges", "apparmor=unconfined"],
    volumes: [{ Name: "data", Dest: "/data", Options: ["ro"] }],
  });
  assertEquals(made.status, 201, JSON.stringify(made.body));
  assertMatch(made.body.Id, /^[0-9a-f]{64}$/);
  const { status, body: pod } = await send(test, "GET", "/pods/shop/json");
  assertEquals(status, 200);
  assertEquals(
    [pod.Id, pod.Name, pod.State, pod.Hostname, pod.ExitPolicy, pod.RestartPolicy, pod.CreateCommand.length],
    [made.body.Id, "shop", "Created", "front", "stop", "on-failure", 3],
  );
  assertEquals([pod.SharedNamespaces, pod.NumContainers, pod.Labels], [["net", "uts"], 1, { tier: "a" }]);
  assertEquals([pod.CreateCgroup, pod.CgroupParent, pod.CgroupPath], [true, "/fake", `/fake/${pod.Id}`]);
  assertEquals([pod.memory_limit, pod.cpu_quota, pod.cpuset_cpus], [67108864, 50000, "0"]);
  assertEquals(pod.security_opt, ["no-new-privileges", "apparmor=unconfined"]);
  assertEquals(pod.mounts.map(({ Name, Destination, RW }: Record<string, unknown>) => [Name, Destination, RW]), [
    ["data", "/data", false],
  ]);
  assertEquals(pod.Containers, [{ Id: pod.InfraContainerID, Name: "hold", State: "created" }]);
  const config = pod.InfraConfig;
  assertEquals(config.PortBindings, { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "8080" }] });
  assertEquals(
    [config.DNSServer, config.DNSSearch, config.HostAdd, config.Networks, config.HostNetwork],
    [["9.9.9.9"], ["example.com"], ["db:10.0.0.9"], ["podman"], false],
  );
  const [listed] = (await send(test, "GET", "/pods/json")).body;
  assertEquals(
    [listed.Id, listed.InfraId, listed.Status, listed.Networks, listed.Containers[0].Names],
    [pod.Id, pod.InfraContainerID, "Created", ["podman"], "hold"],
  );
});

Deno.test("PodCreate pulls an infra image that is not there, and refuses what is no name of one", async () => {
  await using test = await openTestEngine({ pulled: false });
  const body = { name: "shop", infra_name: "hold", infra_image: TINY_NAME, infra_command: ["pause", "--all"] };
  const made = await send(test, "POST", "/pods/create", body);
  assertEquals(made.status, 201, JSON.stringify(made.body));
  const { body: infra } = await send(test, "GET", "/containers/hold/json");
  assertEquals([infra.ImageName, infra.Config.Entrypoint], [TINY_NAME, ["pause", "--all"]]);
  const absent = await send(test, "POST", "/pods/create", { infra_image: "Not//A Name" });
  assertEquals(absent.status, 500);
  assertStringIncludes(absent.body.message, "failed to make pod: ");
  assertEquals((await send(test, "GET", "/pods/json")).body.length, 1);
});

Deno.test("PodCreate refuses what cannot be, with Podman's words and statuses", async () => {
  await using test = await openTestEngine();
  await makeShop(test);
  const rows: [body: Record<string, unknown>, status: number, message: string][] = [
    [{ name: "shop" }, 409, 'failed to make pod: adding pod to state: name "shop" is in use: pod already exists'],
    [{ name: "a b" }, 500, "failed to make pod: names must match"],
    [{ infra_name: "hold" }, 500, 'failed to make pod: the container name "hold" is already in use'],
    [
      { no_infra: true, infra_name: "hold" },
      500,
      "NoInfra and InfraName are mutually exclusive pod options: invalid pod spec",
    ],
    [{ no_infra: true, shared_namespaces: ["net"] }, 500, "NoInfra and SharedNamespaces are mutually exclusive"],
    [{ no_infra: true, dns_server: ["1.1.1.1"] }, 500, "NoInfra and DNSServer are mutually exclusive pod options"],
    [{ no_manage_hosts: true, hostadd: ["a:1.2.3.4"] }, 500, "NoManageHosts and HostAdd are mutually exclusive"],
    [{ shared_namespaces: ["time"] }, 500, "invalid kernel namespace to share: time"],
    [{ exit_policy: "leave" }, 500, 'invalid pod exit policy: "leave"'],
    [{ restart_policy: "maybe" }, 500, '"maybe" is not a valid restart policy'],
    [{ network_options: { lan: ["x"] } }, 500, '"network_options": options of "lan", but the network is ""'],
    [{ netns: { nsmode: "sparkle" } }, 501, 'Create container: "netns" is not supported yet: mode "sparkle"'],
    [
      { netns: { nsmode: "pasta" }, network_options: { pasta: ["--pcap", "/x"] } },
      500,
      'network pasta: unknown option "--pcap"',
    ],
    [{ security_opt: ["sparkle"] }, 400, 'invalid --security-opt: "sparkle"'],
    [{ serviceContainerID: "absent" }, 500, 'no container with name or ID "absent" found'],
    [{ labels: 5 }, 400, "labels"],
  ];
  for (const [body, status, message] of rows) {
    const reply = await send(test, "POST", "/pods/create", body);
    assertEquals(reply.status, status, JSON.stringify(reply.body));
    assertStringIncludes(reply.body.message, message);
  }
  const { cause } = (await send(test, "POST", "/pods/create", { name: "shop" })).body;
  assertEquals(cause, "pod already exists");
  assertEquals((await send(test, "GET", "/pods/json")).body.length, 1, "nothing was left");
});

Deno.test("operations on pods answer reports, 304 where nothing changes and 404 where there is none", async () => {
  await using test = await openTestEngine();
  const id = await makeShop(test);
  const done = { Errs: null, Id: id };
  const rows: [method: string, path: string, status: number, body: unknown][] = [
    ["GET", "/pods/shop/exists", 204, ""],
    ["POST", "/pods/shop/kill", 409, undefined],
    ["POST", "/pods/shop/stop", 304, ""],
    ["POST", "/pods/shop/start", 200, { ...done, RawInput: "shop" }],
    ["POST", "/pods/shop/start", 304, ""],
    ["POST", "/pods/shop/pause", 200, done],
    ["POST", "/pods/shop/unpause", 200, done],
    ["POST", "/pods/shop/unpause", 200, done],
    ["POST", "/pods/shop/restart", 200, done],
    ["POST", "/pods/shop/kill?signal=NOSUCH", 500, undefined],
    ["POST", "/pods/shop/stop?t=1", 200, { ...done, RawInput: "shop" }],
    ["POST", "/pods/shop/stop", 304, ""],
    ["POST", "/pods/shop/start", 200, { ...done, RawInput: "shop" }],
    ["POST", "/pods/shop/kill", 200, done],
    ["POST", "/pods/prune", 200, [{ Err: null, Id: id }]],
    ["GET", "/pods/shop/exists", 404, undefined],
    ["DELETE", "/pods/shop", 404, undefined],
  ];
  for (const [method, path, status, body] of rows) {
    const reply = await send(test, method, path);
    assertEquals(reply.status, status, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    if (body !== undefined) assertEquals(reply.body, body, path);
  }
  const unread = await send(test, "POST", "/pods/shop/stop?t=invalid");
  assertEquals([unread.status, unread.body.cause], [400, 'schema: error converting value for "t"']);
  assertStringIncludes(unread.body.message, "failed to parse parameters for /libpod/pods/shop/stop?t=invalid: ");
  for (const verb of ["start", "stop", "restart", "kill", "pause", "unpause"]) {
    const { status, body } = await send(test, "POST", `/pods/absent/${verb}`);
    assertEquals([status, body.cause, body.message], [
      404,
      "no such pod",
      "no pod with name or ID absent found: no such pod",
    ]);
  }
});

Deno.test("an operation that fails for some containers answers 409 with its report", async () => {
  await using test = await openTestEngine();
  const id = await makeShop(test);
  const bad = { image: TINY_NAME, name: "bad", pod: "shop", entrypoint: ["missing"] };
  const { body: { Id: badID } } = await send(test, "POST", "/containers/create", bad);
  const { status, body } = await send(test, "POST", "/pods/shop/start");
  assertEquals([status, body.Id, body.RawInput, body.Errs.length], [409, id, "shop", 1]);
  assertStringIncludes(body.Errs[0], `starting container ${badID}: `);
  const kept = await send(test, "DELETE", "/pods/shop");
  assertEquals([kept.status, kept.body.cause], [500, "removing pod containers"]);
  assertMatch(kept.body.message, /cannot remove container \w+ as it is running/);
  const gone = await send(test, "DELETE", "/pods/shop?force=true&timeout=0");
  assertEquals([gone.status, gone.body.Id, gone.body.Err], [200, id, null]);
  assertEquals(Object.values(gone.body.RemovedCtrs), [null, null]);
});

Deno.test("PodStop takes its time by both names that clients have for it", async () => {
  const terminated = 128 + 15;
  const rows: [query: string, code: number][] = [
    ["timeout=0", 128 + 9],
    ["timeout=1", terminated],
    ["timeout=-1", terminated],
    ["t=0", terminated],
    ["", terminated],
  ];
  for (const [query, code] of rows) {
    await using test = await openTestEngine();
    await makeShop(test);
    await send(test, "POST", "/pods/shop/start");
    assertEquals((await send(test, "POST", `/pods/shop/stop?${query}`)).status, 200);
    assertEquals(test.engine.containers.resolve("web").state.exitCode, code, query);
  }
});

Deno.test("containers of a pod tell of it, and are listed by it", async () => {
  await using test = await openTestEngine();
  const port = { host_port: 8080, container_port: 80, protocol: "tcp", range: 1 };
  const id = await makeShop(test, { portmappings: [port] });
  await send(test, "POST", "/containers/create", { image: TINY_NAME, name: "alone" });
  const list = async (filters: unknown) =>
    (await send(test, "GET", `/containers/json?all=true&${query(filters)}`)).body;
  const names = (entries: { Names: string[] }[]) => entries.map(({ Names }) => Names[0]).join(" ");
  const members = await list({ pod: ["shop"] });
  assertEquals(names(members), "hold web");
  assertEquals(names(await list({ pod: [id.slice(0, 9)] })), "hold web");
  assertEquals(names(await list({ pod: ["absent"] })), "");
  const [hold, web] = members;
  assertEquals([hold.Pod, hold.PodName, hold.IsInfra], [id, "shop", true]);
  assertEquals([web.Pod, web.PodName, web.IsInfra], [id, "shop", false]);
  assertEquals(web.Ports, hold.Ports, "the ports of the pod lead to it");
  const { body } = await send(test, "GET", "/containers/web/json");
  assertEquals([body.Pod, body.IsInfra, body.HostConfig.NetworkMode], [id, false, `container:${hold.Id}`]);
  const { body: holder } = await send(test, "GET", "/containers/hold/json");
  assertEquals([holder.IsInfra, Object.keys(holder.NetworkSettings.Networks)], [true, ["podman"]]);
  assertEquals(body.NetworkSettings, holder.NetworkSettings, "the network is the pod's");
  const docker = await (await test.send("GET", "/containers/json?all=true")).json();
  assertEquals(docker.map(({ Names }: { Names: string[] }) => Names[0]).sort(), ["/alone", "/hold", "/web"]);
  const pause = docker.find(({ Names }: { Names: string[] }) => Names[0] === "/hold");
  assertEquals(pause.Command, "/catatonit -P");
});

Deno.test("the infra container goes with its pod only, and prunes of containers keep off pods", async () => {
  await using test = await openTestEngine();
  const id = await makeShop(test);
  const refused = await send(test, "DELETE", "/containers/hold?force=true");
  assertEquals(refused.status, 500);
  assertStringIncludes(refused.body.message, `is the infra container of pod ${id} and cannot be removed`);
  assertEquals((await send(test, "POST", "/containers/prune")).body, []);
  assertEquals((await send(test, "POST", "/system/prune")).body.PodPruneReport, [], "it never ran");
  await send(test, "POST", "/pods/shop/start");
  await send(test, "POST", "/pods/shop/stop");
  const others = await send(test, "POST", `/system/prune?${query({ label: ["keep=no"] })}`);
  assertEquals(others.body.PodPruneReport, [], "a filter holds for pods, too");
  assertEquals((await send(test, "POST", "/system/prune")).body.PodPruneReport, [{ Err: null, Id: id }]);
});

Deno.test("containers are refused what only their pod can have", async () => {
  await using test = await openTestEngine();
  await makeShop(test);
  const rows: [Record<string, unknown>, number, string][] = [
    [{ pod: "absent" }, 500, "retrieving pod absent: no pod with name or ID absent found: no such pod"],
    [{ init_container_type: "sometimes" }, 500, "sometimes is invalid init container type"],
    [{ pod: "", init_container_type: "once" }, 500, "init containers must be created in a pod: invalid argument"],
    [{ portmappings: [{ host_port: 1, container_port: 1 }] }, 500, "must be defined when the pod is created"],
    [{ pod: "", netns: { nsmode: "pod" } }, 500, "cannot use pod namespace as container is not joining a pod"],
  ];
  for (const [body, status, message] of rows) {
    const reply = await send(test, "POST", "/containers/create", { image: TINY_NAME, pod: "shop", ...body });
    assertEquals(reply.status, status, JSON.stringify(reply.body));
    assertStringIncludes(reply.body.message, message);
  }
});

Deno.test("PodTop and PodStats tell of what runs", async () => {
  await using test = await openTestEngine();
  const id = await makeShop(test);
  await send(test, "POST", "/pods/shop/start");
  const { body: top } = await send(test, "GET", "/pods/shop/top?ps_args=args,pid");
  assertEquals(top.Processes.length, 2);
  assertEquals((await send(test, "GET", "/pods/shop/top?delay=0")).status, 400);
  const { body: stats } = await send(test, "GET", "/pods/stats");
  assertEquals(stats.map(({ Name, Pod }: Record<string, string>) => [Name, Pod]), [
    ["hold", id.slice(0, 12)],
    ["web", id.slice(0, 12)],
  ]);
  assertMatch(stats[0].CPU, /^\d+\.\d\d%$/);
  assertEquals(
    [stats[0].MemUsage, stats[0].MemUsageBytes, stats[0].Mem, stats[0].NetIO, stats[0].BlockIO, stats[0].PIDS],
    ["2kB / 8kB", "1.953KiB / 7.813KiB", "25.00%", "10B / 20B", "512B / 256B", "1"],
  );
  // Without control groups the containers that run are named, as `stats` of containers does.
  test.kernel.countsNothing = true;
  const { body: uncounted } = await send(test, "GET", "/pods/stats?namesOrIDs=shop");
  const { CID, Pod, ...figures } = uncounted[1];
  assertEquals([uncounted.length, CID.length, Pod, figures], [2, 12, id.slice(0, 12), {
    ...{ Name: "web", CPU: "0.00%", Mem: "0.00%", PIDS: "--" },
    ...{ MemUsage: "-- / --", MemUsageBytes: "-- / --", NetIO: "-- / --", BlockIO: "-- / --" },
  }]);
  const absent = await send(test, "GET", "/pods/stats?namesOrIDs=absent");
  assertEquals([absent.status, absent.body.cause, absent.body.message], [
    404,
    "no such pod",
    "unable to get list of pods: no pod with name or ID absent found: no such pod",
  ]);
  const both = await send(test, "GET", "/pods/stats?namesOrIDs=shop&all=true");
  assertEquals([both.status, both.body.message], [500, "--all, --latest and arguments cannot be used together"]);
});

Deno.test("Pods answers 400 for filters that are no JSON, and 500 for those there are not", async () => {
  await using test = await openTestEngine();
  await makeShop(test);
  const rows: [text: string, status: number, cause: string][] = [
    ["garb1age}", 400, "invalid character 'g' looking for beginning of value"],
    ['{"label":["testl', 400, "unexpected end of JSON input"],
    ['{"colour":["red"]}', 500, "colour is an invalid filter"],
  ];
  for (const [text, status, cause] of rows) {
    const reply = await send(test, "GET", `/pods/json?${query(text)}`);
    assertEquals([reply.status, reply.body.cause], [status, cause]);
  }
  assertEquals((await send(test, "GET", `/pods/json?${query({ name: ["sho"] })}`)).body.length, 1);
});

Deno.test("without a kernel a pod is a record, and an infra container needs one", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  const refused = await send(test, "POST", "/pods/create", { name: "shop" });
  assertEquals(refused.status, 501);
  const made = await send(test, "POST", "/pods/create", { name: "bare", no_infra: true, labels: { a: "b" } });
  assertEquals(made.status, 201, JSON.stringify(made.body));
  const [pod] = (await send(test, "GET", "/pods/json")).body;
  assertEquals([pod.Name, pod.Status, pod.Labels], ["bare", "Created", { a: "b" }]);
  assertEquals((await send(test, "GET", "/pods/bare/json")).body.CreateInfra, false);
  assert((await send(test, "DELETE", "/pods/bare")).status === 200);
  assertEquals((await send(test, "GET", "/pods/json")).body, []);
});
