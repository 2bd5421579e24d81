import { assert, assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function create(test: TestEngine, spec: Record<string, unknown> = {}): Promise<string> {
  const reply = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, ...spec });
  const body = await reply.json();
  assertEquals(reply.status, 201, JSON.stringify(body));
  return body.Id;
}

async function status(test: TestEngine, method: string, path: string, body?: unknown): Promise<number> {
  const reply = await test.send(method, path, body);
  await reply.body?.cancel();
  return reply.status;
}

Deno.test("ListContainers gives the oldest first, and the newest of a count", async () => {
  await using test = await openTestEngine();
  for (const name of ["one", "two", "three"]) {
    await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name });
    // So that no two have the same time.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const names = async (query: string) => {
    const list: { Names: string[] }[] = await (await test.send("GET", `/libpod/containers/json?${query}`)).json();
    return list.map(({ Names }) => Names[0]);
  };
  assertEquals(await names("all=true"), ["one", "two", "three"]);
  assertEquals(await names("last=2"), ["two", "three"]);
  const docker: { Names: string[] }[] = await (await test.send("GET", "/containers/json?all=1")).json();
  assertEquals(docker.map(({ Names }) => Names[0]), ["/three", "/two", "/one"]);
});

Deno.test("RemoveContainer tells old clients the name they gave", async () => {
  await using test = await openTestEngine();
  for (const [version, raw] of [["v4.3.1/", "mine"], ["v5.0.0/", undefined], ["", undefined]]) {
    const made = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "mine" });
    const { Id } = await made.json();
    const removed = await (await test.send("DELETE", `/${version}libpod/containers/mine`)).json();
    assertEquals(removed, [{ Id, ...raw !== undefined && { RawInput: raw } }]);
  }
});

Deno.test("CreateContainer() answers bad requests with a status clients know", async () => {
  await using test = await openTestEngine();
  await create(test, { name: "taken" });
  const rows: [path: string, body: unknown, status: number, text: string][] = [
    ["/libpod/containers/create", { image: "nope" }, 404, "no such image: nope: image not known"],
    ["/containers/create", { Image: "nope" }, 404, "image not known"],
    ["/libpod/containers/create", { image: TINY_NAME, name: "taken" }, 500, "that name is already in use"],
    ["/containers/create?name=taken", { Image: TINY_NAME }, 409, "that name is already in use"],
    ["/libpod/containers/create", "{", 400, "JSON"],
    ["/libpod/containers/create", "[]", 400, "expected object"],
    ["/libpod/containers/create", { image: 1 }, 400, '"image"'],
    // Runtimes do not read half a byte.
    ["/containers/create", { Image: TINY_NAME, HostConfig: { Memory: 0.2 * 2 ** 30 } }, 400, '"HostConfig.Memory"'],
    [
      "/libpod/containers/create",
      { image: TINY_NAME, resource_limits: { cpu: { quota: 0.5 } } },
      400,
      '"resource_limits.cpu.quota"',
    ],
    ["/libpod/containers/create", { image: TINY_NAME, name: "a b" }, 500, "names must match"],
    ["/containers/create?name=a%20b", { Image: TINY_NAME }, 400, "names must match"],
    ["/libpod/containers/create", { image: TINY_NAME, pod: "p" }, 500, "no pod with name or ID p found"],
    ["/libpod/containers/create", undefined, 500, "must specify image"],
  ];
  for (const [path, body, code, text] of rows) {
    const reply = await test.send("POST", path, body);
    const { message, response } = await reply.json();
    assertEquals([reply.status, response], [code, code], message);
    assert(message.includes(text), `${message} has ${text}`);
  }
});

Deno.test("ListContainers() answers 500 where its query does not parse, as Podman does", async () => {
  await using test = await openTestEngine();
  for (const path of ["/libpod/containers/json?all=garb1age", "/containers/json?limit=garb1age"]) {
    const reply = await test.send("GET", path);
    const { response, message, cause } = await reply.json();
    const name = path.includes("all=") ? "all" : "limit";
    assertEquals([reply.status, response, cause], [500, 500, `schema: error converting value for "${name}"`]);
    assert(message.includes('"garb1age"'), message);
  }
});

Deno.test("StartContainer() and StopContainer() answer 304 where nothing changes", async () => {
  await using test = await openTestEngine();
  const id = await create(test);
  const rows: [operation: string, status: number][] = [
    ["start", 204],
    ["start", 304],
    ["stop", 204],
    ["stop", 304],
    ["restart", 204],
    ["pause", 204],
    ["unpause", 204],
    ["kill", 204],
    ["kill", 409],
    ["start", 204],
  ];
  for (const [operation, code] of rows) {
    assertEquals(await status(test, "POST", `/libpod/containers/${id}/${operation}`), code, operation);
  }
  for (const patience of ["-1", "18446744073709551615", "0", "3"]) {
    assertEquals(await status(test, "POST", `/libpod/containers/${id}/stop?timeout=${patience}`), 204, patience);
    assertEquals(await status(test, "POST", `/libpod/containers/${id}/start`), 204);
  }
  assertEquals(await status(test, "POST", `/libpod/containers/${id}/stop?timeout=soon`), 400);
  assertEquals(await status(test, "POST", "/libpod/containers/none/stop"), 404);
  assertEquals(await status(test, "POST", "/libpod/containers/none/stop?ignore=true"), 204);
  assertEquals(await status(test, "POST", `/libpod/containers/${id}/kill?signal=NOPE`), 400);
});

Deno.test("WaitContainer() answers the exit code as text, Docker's twin as JSON whose head comes first", async () => {
  await using test = await openTestEngine();
  const id = await create(test, { command: ["exit", "3"] });
  const early = await test.send("POST", `/containers/${id}/wait?condition=next-exit`);
  assertEquals(early.status, 200);
  await test.engine.containers.start(id);
  assertEquals(await early.json(), { StatusCode: 3, Error: null });
  assertEquals(await (await test.send("POST", `/libpod/containers/${id}/wait`)).text(), "3");
  assertEquals(await status(test, "POST", `/libpod/containers/${id}/wait?condition=odd`), 400);
  assertEquals(await status(test, "POST", `/containers/${id}/wait?condition=odd`), 400);
  assertEquals(await status(test, "POST", "/containers/none/wait"), 404);
  const two = `/libpod/containers/${id}/wait?condition=running&condition=exited`;
  assertEquals(await (await test.send("POST", two)).text(), "3");
});

Deno.test("RemoveContainer() reports, forces and ignores", async () => {
  await using test = await openTestEngine();
  const id = await create(test);
  await test.engine.containers.start(id);
  assertEquals(await status(test, "DELETE", `/libpod/containers/${id}`), 500);
  assertEquals(await (await test.send("DELETE", `/libpod/containers/${id}?force=true`)).json(), [{ Id: id }]);
  assertEquals(await status(test, "DELETE", `/libpod/containers/${id}`), 404);
  assertEquals(await (await test.send("DELETE", `/libpod/containers/${id}?ignore=true`)).json(), []);
  assertEquals(await status(test, "DELETE", `/containers/${id}`), 404);
  assertEquals(await status(test, "DELETE", `/containers/${id}?link=1`), 400);
});

Deno.test("ListContainers() filters and counts", async () => {
  await using test = await openTestEngine();
  for (const name of ["a", "b", "c"]) await create(test, { name, labels: { which: name } });
  await test.engine.containers.start("b");
  const names = async (query: string) => {
    const reply = await test.send("GET", `/libpod/containers/json${query}`);
    assertEquals(reply.status, 200, query);
    const list: { Names: string[] }[] = await reply.json();
    return list.map(({ Names }) => Names[0]).sort().join();
  };
  const filters = (value: unknown) => `filters=${encodeURIComponent(JSON.stringify(value))}`;
  assertEquals(await names(""), "b");
  assertEquals(await names("?all=true"), "a,b,c");
  assertEquals(await names("?all=true&last=-1"), "a,b,c");
  assertEquals(await names(`?all=true&${filters({ label: ["which=a"] })}`), "a");
  assertEquals(await names(`?${filters({ status: { created: true } })}`), "a,c");
  assertEquals(await names(`?all=true&${filters({ name: ["c"] })}`), "c");
  assertEquals((await names("?limit=2")).length, 3);
  assertEquals(await status(test, "GET", "/libpod/containers/json?filters=%7B"), 500);
});

Deno.test("GetContainer() gives clients before version 5 the older forms", async () => {
  await using test = await openTestEngine();
  const id = await create(test, { entrypoint: ["/bin/a", "b"], stop_signal: 2 });
  const config = async (path: string) =>
    (await (await test.send("GET", `${path}/containers/${id}/json`)).json()).Config;
  const old = await config("/v4.3.1/libpod");
  assertEquals([old.Entrypoint, old.StopSignal], ["/bin/a b", 2]);
  assertEquals((await config("/v1.44")).StopSignal, "SIGINT");
  for (const path of ["/libpod", "/v5.0.0/libpod"]) {
    const { Entrypoint, StopSignal } = await config(path);
    assertEquals([Entrypoint, StopSignal], [["/bin/a", "b"], "SIGINT"], path);
  }
});

Deno.test("GetContainer() tells what was asked for and what came of it", async () => {
  await using test = await openTestEngine();
  const id = await create(test, {
    name: "full",
    command: ["serve", "x"],
    env: { A: "b" },
    hostname: "hh",
    cap_add: ["net_admin", "CAP_SYS_TIME"],
    cap_drop: ["KILL"],
    log_configuration: { options: { tag: "mine" } },
    portmappings: [{ container_port: 80, host_port: 8080, range: 2 }],
    r_limits: [{ type: "nofile", soft: 10, hard: -1 }],
    resource_limits: { cpu: { quota: 150000, period: 100000 }, memory: { limit: 1 << 26 } },
    mounts: [
      { type: "bind", source: "/tmp", destination: "/t", options: ["ro"] },
      { type: "tmpfs", destination: "/scratch", options: ["size=1m"] },
    ],
  });
  await test.engine.containers.start(id);
  const native = await (await test.send("GET", `/libpod/containers/${id}/json`)).json();
  assertEquals([native.Path, native.Args, native.Image], ["serve", ["x"], TINY.id]);
  const withInit = await test.engine.containers.create({ image: TINY_NAME, command: ["serve", "x"], init: true });
  const paths = ["/libpod", ""].map(async (tree) => {
    const { Path, Args } = await (await test.send("GET", `${tree}/containers/${withInit.record.id}/json`)).json();
    return [Path, ...Args];
  });
  // Docker's own tells the command, and hides its init.
  assertEquals(await Promise.all(paths), [["/run/podman-init", "--", "serve", "x"], ["serve", "x"]]);
  assertEquals([native.State.Status, native.State.Running, native.State.Pid > 0], ["running", true, true]);
  assertEquals(native.Config.Env.filter((entry: string) => /^(A|FROM_IMAGE)=/.test(entry)).sort(), [
    "A=b",
    "FROM_IMAGE=yes",
  ]);
  assertEquals(Object.keys(native.NetworkSettings.Ports).sort(), ["80/tcp", "8080/tcp", "81/tcp"]);
  assertEquals(native.HostConfig.PortBindings["81/tcp"], [{ HostIp: "0.0.0.0", HostPort: "8081" }]);
  assertEquals(native.HostConfig.Ulimits, [{ Name: "RLIMIT_NOFILE", Soft: 10, Hard: -1 }]);
  assertEquals([native.HostConfig.NanoCpus, native.HostConfig.Memory], [1.5e9, 1 << 26]);
  const [{ Destination, RW, Propagation, Options }] = native.Mounts;
  assertEquals([Destination, RW, Propagation, Options], ["/t", false, "rprivate", ["rbind"]]);
  assertEquals(native.HostConfig.Binds, ["/tmp:/t:ro,rprivate,rbind"]);
  assertEquals(native.HostConfig.Tmpfs, { "/scratch": "size=1m,rw,rprivate,nosuid,nodev,tmpcopyup" });

  assertEquals(native.ResolvConfPath, `/containers/${id}/resolv.conf`);
  assertEquals([native.EffectiveCaps, native.BoundingCaps], [["CAP_KILL"], ["CAP_CHOWN", "CAP_KILL"]]);
  assertEquals(native.GraphDriver.Data.LowerDir, "/layers/b:/layers/a");
  assertEquals(native.GraphDriver.Data.MergedDir, `/containers/${id}/merged`);

  const { CapAdd, CapDrop, LogConfig } = native.HostConfig;
  assertEquals([CapAdd, CapDrop], [["CAP_NET_ADMIN", "CAP_SYS_TIME"], ["CAP_KILL"]]);
  assertEquals([LogConfig.Config, LogConfig.Tag], [null, "mine"]);

  const docker = await (await test.send("GET", `/v1.44/containers/full/json`)).json();
  assertEquals([docker.Name, docker.Image, docker.State.Status], ["/full", `sha256:${TINY.id}`, "running"]);
  assertEquals([docker.HostConfig.LogConfig.Type, docker.HostConfig.NanoCpus], ["json-file", 1.5e9]);
  assertEquals(docker.Config.Hostname, "hh");
  assertEquals(docker.HostsPath, native.HostsPath);
  await test.engine.containers.stop(id);
  const ended = await (await test.send("GET", `/libpod/containers/${id}/json`)).json();
  assertEquals([ended.HostsPath, ended.OCIConfigPath, ended.GraphDriver.Data.MergedDir], ["", undefined, undefined]);
  assertEquals(ended.PidFile, `/containers/${id}/pid`);
  const { GraphDriver } = await (await test.send("GET", `/v1.44/containers/${id}/json`)).json();
  assertEquals([GraphDriver.Data.ID, GraphDriver.Data.MergedDir], [id, `/containers/${id}/merged`]);
});
