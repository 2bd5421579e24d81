import { assert, assertEquals, assertMatch } from "@std/assert";
import { ContainerStatsReport } from "../../../handlers/wire/containers/stats.ts";
import { StatsJSON } from "../../../handlers/wire/compat/stats.ts";
import { differences } from "../../fixtures/handlers/conforms.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function started(names: string[]) {
  const test = await openTestEngine();
  for (const name of names) {
    await test.send("POST", "/libpod/containers/create", { name, image: TINY_NAME, netns: { nsmode: "none" } });
    await test.send("POST", `/libpod/containers/${name}/start`);
  }
  return test;
}

Deno.test("StatsContainer reports several containers at once, in Podman's fields", async () => {
  await using test = await started(["one", "two"]);
  const get = (path: string) => test.send("GET", path);
  const report = await (await get("/libpod/containers/stats?stream=false")).json();
  assertEquals(differences(ContainerStatsReport, report), []);
  assertEquals(report.Error, null);
  const [one] = report.Stats;
  assertEquals(report.Stats.map(({ Name }: { Name: string }) => Name), ["one", "two"]);
  assertEquals([one.MemUsage, one.MemLimit, one.MemPerc, one.PIDs], [2000, 8000, 25, 1]);
  assertEquals([one.BlockInput, one.BlockOutput], [512, 256]);
  assertEquals([one.Network.eth0.RxBytes, one.Network.eth0.TxPackets, one.NetInput], [10, 2, undefined]);
  const legacy = await (await get("/v4.3.1/libpod/containers/stats?stream=false&containers=two")).json();
  assertEquals([legacy.Stats[0].NetInput, legacy.Stats[0].NetOutput], [10, 20]);
  assertEquals((await get("/libpod/containers/stats?containers=nope")).status, 404);
  const bad = await get("/libpod/containers/stats?interval=0");
  assertEquals([bad.status, (await bad.json()).cause], [
    500,
    "invalid interval, must be a positive number greater zero",
  ]);
});

Deno.test("StatsContainer ends a stream with a report of the error once a named container is gone", async () => {
  await using test = await started(["box"]);
  const reply = await test.send("GET", "/libpod/containers/stats?containers=box&interval=1");
  await test.send("DELETE", "/libpod/containers/box?force=true");
  const [first, second, ...rest] = (await reply.text()).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(first.Stats.length, 1);
  assertEquals([second, ...rest], [{ Error: {}, Stats: null }]);
});

Deno.test("both trees sample one container; Docker's has the figures of a second before", async () => {
  await using test = await started(["box"]);
  const get = async (path: string) => await (await test.send("GET", path)).json();
  const native = await get("/libpod/containers/box/stats?stream=false");
  assertEquals(differences(StatsJSON, native), []);
  assertMatch(native.Id, /^[0-9a-f]{64}$/);
  assertEquals([native.name, native.preread, native.id], ["box", "0001-01-01T00:00:00Z", undefined]);
  assertEquals(native.memory_stats.limit, 8000);
  const docker = await get("/containers/box/stats?stream=false");
  assertEquals([docker.name, docker.id, docker.Id], ["/box", native.Id, undefined]);
  assert(Date.parse(docker.read) > Date.parse(docker.preread));
  assert(docker.precpu_stats.system_cpu_usage < docker.cpu_stats.system_cpu_usage);
  assertEquals(docker.networks.eth0.rx_bytes, 10);
  const single = await get("/containers/box/stats?stream=false&one-shot=true");
  assertEquals(single.preread, "0001-01-01T00:00:00Z");
  assertEquals((await test.send("GET", "/containers/box/stats?one-shot=true")).status, 400);
  assertEquals((await test.send("GET", "/containers/nope/stats")).status, 404);
});

Deno.test("a stopped container has one sample of zeros, and a stream ends with its container", async () => {
  await using test = await started(["box"]);
  const reply = await test.send("GET", "/containers/box/stats");
  const lines = reply.text();
  await test.send("POST", "/libpod/containers/box/stop?timeout=0");
  const samples = (await lines).trim().split("\n").map((line) => JSON.parse(line));
  assert(samples.length >= 1);
  assertEquals(samples[0].precpu_stats.system_cpu_usage, undefined);
  const after = (await (await test.send("GET", "/containers/box/stats")).text()).trim().split("\n");
  assertEquals(after.length, 1);
  assertEquals(JSON.parse(after[0]).cpu_stats.cpu_usage.total_usage, 0);
});
