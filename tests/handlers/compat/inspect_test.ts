import { assertEquals, assertMatch } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("CompatGetContainer() tells the address in the default network to older clients, and what was asked for", async () => {
  await using test = await openTestEngine();
  const inspect = async (version: string, name: string) =>
    await (await test.send("GET", `/${version}/containers/${name}/json`)).json();
  const start = async (name: string, HostConfig: object = {}) => {
    const body = { Image: TINY_NAME, HostConfig };
    const made = await test.send("POST", `/v1.50/containers/create?name=${name}`, body);
    assertEquals([made.status, (await test.send("POST", `/containers/${name}/start`)).status], [201, 204]);
  };
  await start("plain");
  const { NetworkSettings, HostConfig } = await inspect("v1.50", "plain");
  const [endpoint] = Object.values<{ IPAddress: string; IPAMConfig: unknown }>(NetworkSettings.Networks);
  assertMatch(endpoint.IPAddress, /^10\./);
  assertEquals([NetworkSettings.IPAddress, endpoint.IPAMConfig], [endpoint.IPAddress, null]);
  assertEquals(HostConfig.NetworkMode, "bridge");
  const later = (await inspect("v1.52", "plain")).NetworkSettings;
  assertEquals(["IPAddress" in later, "Gateway" in later], [false, false]);

  assertEquals((await test.send("POST", "/networks/create", { Name: "web" })).status, 201);
  await start("elsewhere", { NetworkMode: "web", Binds: ["kept:/data"] });
  const elsewhere = await inspect("v1.50", "elsewhere");
  assertEquals([elsewhere.HostConfig.NetworkMode, elsewhere.NetworkSettings.IPAddress], ["web", undefined]);
  assertEquals(elsewhere.NetworkSettings.Networks.web.IPAMConfig, null);
  const filters = encodeURIComponent(JSON.stringify({ name: ["elsewhere"] }));
  const [listed] = await (await test.send("GET", `/v1.50/containers/json?filters=${filters}`)).json();
  assertEquals(listed.Mounts.map(({ Name, Driver }: { Name: string; Driver: string }) => [Name, Driver]), [[
    "kept",
    "local",
  ]]);
});
