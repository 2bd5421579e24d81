import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function withContainer() {
  const test = await openTestEngine();
  await test.send("POST", "/libpod/containers/create", { name: "box", image: TINY_NAME });
  return test;
}

Deno.test("UpdateContainer reads keys in any case, answers 201 with the ID, and inspect shows the change", async () => {
  await using test = await withContainer();
  const body = {
    Memory: { Limit: 5000, swap: 6000 },
    cpu: { shares: 9 },
    Env: ["A=1"],
    r_limits: [{ type: "nofile", soft: -1, hard: -1 }],
  };
  const reply = await test.send(
    "POST",
    "/libpod/containers/box/update?restartPolicy=on-failure&restartRetries=2",
    body,
  );
  assertEquals(reply.status, 201);
  assertMatch(await reply.text(), /^[0-9a-f]{64}$/);
  const { HostConfig, Config } = await (await test.send("GET", "/libpod/containers/box/json")).json();
  assertEquals([HostConfig.Memory, HostConfig.MemorySwap, HostConfig.CpuShares], [5000, 6000, 9]);
  assertEquals(HostConfig.RestartPolicy, { Name: "on-failure", MaximumRetryCount: 2 });
  assertEquals(HostConfig.Ulimits, [{ Name: "RLIMIT_NOFILE", Soft: -1, Hard: -1 }]);
  assertEquals(Config.Env.includes("A=1"), true);
  const [record] = test.engine.containers.list({ all: true });
  assertEquals(record.spec.rlimits[0]?.hard, 18446744073709551615n, "exact to the last digit");
  assertEquals((await test.send("POST", "/libpod/containers/box/update", "null")).status, 201);
});

Deno.test("memory and swap of a new container are twice its memory in both trees, unless they say otherwise", async () => {
  await using test = await openTestEngine();
  const swapOf = async (tree: string, body: unknown) => {
    const { Id } = await (await test.send("POST", `${tree}/containers/create`, body)).json();
    const { HostConfig } = await (await test.send("GET", `/libpod/containers/${Id}/json`)).json();
    return [HostConfig.Memory, HostConfig.MemorySwap];
  };
  const native = (memory: unknown) => swapOf("/libpod", { image: TINY_NAME, Resource_Limits: { Memory: memory } });
  const docker = (HostConfig: unknown) => swapOf("", { Image: TINY_NAME, HostConfig });
  assertEquals(await native({ Limit: 1000 }), [1000, 2000]);
  assertEquals(await docker({ Memory: 8_000_000 }), [8_000_000, 16_000_000]);
  assertEquals(await native({ Limit: 1000, Swap: 1500 }), [1000, 1500]);
  assertEquals(await docker({ Memory: 8_000_000, MemorySwap: -1 }), [8_000_000, -1]);
});

Deno.test("UpdateContainer changes health checks", async () => {
  await using test = await withContainer();
  const update = (body: unknown) => test.send("POST", "/libpod/containers/box/update", body);
  assertEquals((await update({ health_interval: "1s" })).status, 400, "there is no command");
  const change = { health_cmd: "curl localhost", health_interval: "1m", health_retries: 5, health_on_failure: "kill" };
  assertEquals((await update(change)).status, 201);
  const { health } = test.engine.containers.resolve("box");
  assertEquals(health?.check?.test, ["CMD-SHELL", "curl localhost"]);
  assertEquals([health?.check?.interval, health?.check?.retries, health?.onFailure], [60_000, 5, "kill"]);
  assertEquals((await update({ health_cmd: '["CMD", "true"]' })).status, 201);
  assertEquals(test.engine.containers.resolve("box").health?.check?.test, ["CMD", "true"]);
  assertEquals(test.engine.containers.resolve("box").health?.check?.interval, 60_000);
  for (const bad of [{ health_interval: "soon" }, { health_retries: 0 }, { health_on_failure: "panic" }]) {
    assertEquals((await update(bad)).status, 400, JSON.stringify(bad));
  }
  assertEquals((await update({ no_healthcheck: true, health_on_failure: "none" })).status, 201);
  assertEquals(test.engine.containers.resolve("box").health?.check?.test, ["NONE"]);
});

Deno.test("UpdateContainer refuses by name", async () => {
  await using test = await withContainer();
  const said = async (path: string, body: unknown = {}) => {
    const reply = await test.send("POST", `/libpod/containers/box/update${path}`, body);
    return `${reply.status} ${(await reply.json()).message}`;
  };
  assertEquals(await said("?restartRetries=2"), "400 cannot set restart retries unless restart policy is set");
  const retries = "400 cannot set restart retries unless restart policy is on-failure";
  assertEquals(await said("?restartPolicy=always&restartRetries=2"), retries);
  assertStringIncludes(await said("?restartPolicy=huh"), '400 "huh" is not a valid restart policy');
  assertStringIncludes(await said("", { devices: [{ allow: true, access: "r" }] }), '501 Update container: "devices"');
  assertEquals((await test.send("POST", "/libpod/containers/nope/update", {})).status, 404);
});

Deno.test("CompatUpdateContainer changes what is not zero, and leaves swap to who names it", async () => {
  await using test = await withContainer();
  const reply = await test.send("POST", "/containers/box/update", {
    Memory: 8_000_000,
    NanoCpus: 1_500_000_000,
    PidsLimit: 12,
    RestartPolicy: { Name: "always", MaximumRetryCount: 0 },
  });
  assertEquals([reply.status, await reply.json()], [200, { Warnings: null }]);
  await test.send("POST", "/containers/box/update", {
    CpuShares: 3,
    Ulimits: [{ Name: "memlock", Soft: -1, Hard: -1 }],
  });
  const { HostConfig } = await (await test.send("GET", "/containers/box/json")).json();
  assertEquals([HostConfig.Memory, HostConfig.MemorySwap, HostConfig.NanoCpus], [8_000_000, 0, 1_500_000_000]);
  assertEquals([HostConfig.PidsLimit, HostConfig.CpuShares, HostConfig.RestartPolicy.Name], [12, 3, "always"]);
});

Deno.test("limits of processes are exact to the last digit, in both trees, asked and told", async () => {
  await using test = await withContainer();
  const soft = "9007199254740993";
  const native = `{"image":"${TINY_NAME}","r_limits":[{"type":"as","soft":${soft},"hard":-1}]}`;
  const docker = `{"Image":"${TINY_NAME}","HostConfig":{"Ulimits":[{"Name":"as","Soft":${soft},"Hard":-1}]}}`;
  for (const [path, body] of [["/libpod/containers/create", native], ["/containers/create", docker]]) {
    const { Id } = await (await test.send("POST", path, body)).json();
    assertEquals(test.engine.containers.resolve(Id).spec.rlimits, [
      { type: "RLIMIT_AS", soft: 9007199254740993n, hard: 18446744073709551615n },
    ]);
    for (const tree of ["/libpod", ""]) {
      const text = await (await test.send("GET", `${tree}/containers/${Id}/json`)).text();
      assertMatch(text, new RegExp(`"Soft":${soft}[,}]`), tree);
      assertMatch(text, /"Hard":-1[,}]/);
    }
  }
  const more = `{"image":"${TINY_NAME}","r_limits":[{"type":"as","soft":1,"hard":18446744073709551616}]}`;
  assertEquals((await test.send("POST", "/libpod/containers/create", more)).status, 400);
});

Deno.test("a health check that an update adds is run every 30 seconds where nobody says how often", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "box" });
  const update = (body: unknown) => test.send("POST", "/libpod/containers/box/update", body);
  const interval = async () =>
    (await (await test.send("GET", "/libpod/containers/box/json")).json()).Config.Healthcheck.Interval;
  assertEquals((await update({ health_cmd: '["CMD", "true"]' })).status, 201);
  assertEquals(await interval(), 30_000_000_000);
  assertEquals((await update({ health_interval: "5s" })).status, 201);
  assertEquals((await update({ health_cmd: '["CMD", "false"]' })).status, 201);
  assertEquals(await interval(), 5_000_000_000, "a new command leaves what was asked for");
  assertEquals((await update({ no_healthcheck: true })).status, 201);
  assertEquals((await update({ health_cmd: '["CMD", "true"]' })).status, 201);
  assertEquals(await interval(), 30_000_000_000, "as for one that had none");
});
