import { assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("CompatListContainers() tells clients of 1.52 and later that there is no health check", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/containers/create", { Image: TINY_NAME });
  const health = async (version: string) => {
    const [container] = await (await test.send("GET", `${version}/containers/json?all=true`)).json();
    return container.Health;
  };
  assertEquals(await health("/v1.52"), { Status: "none", FailingStreak: 0 });
  assertEquals(await health("/v1.44"), undefined);
});

Deno.test("CompatGetContainer() has no swappiness where none was asked for", async () => {
  await using test = await openTestEngine();
  for (const [MemorySwappiness, told] of [[undefined, null], [-1, null], [0, 0], [10, 10]]) {
    const body = { Image: TINY_NAME, HostConfig: { MemorySwappiness } };
    const { Id } = await (await test.send("POST", "/containers/create", body)).json();
    const { HostConfig } = await (await test.send("GET", `/containers/${Id}/json`)).json();
    assertEquals(HostConfig.MemorySwappiness, told);
  }
});
