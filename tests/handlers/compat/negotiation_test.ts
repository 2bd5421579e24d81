import { assertEquals, assertStringIncludes } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("Docker's clients negotiate any version from 1.24 to 1.52, and are told why no other", async () => {
  await using test = await openTestEngine({ pulled: false });
  const ask = async (path: string) => {
    const response = await test.send("GET", path);
    const text = await response.text();
    return [response.status, response.headers.get("api-version"), text] as const;
  };
  assertEquals((await ask("/_ping")).slice(0, 2), [200, "1.52"]);
  const { ApiVersion, MinAPIVersion } = JSON.parse((await ask("/version"))[2]);
  assertEquals([ApiVersion, MinAPIVersion], ["1.52", "1.24"]);
  for (const version of ["1.24", "1.41", "1.44", "1.51", "1.52"]) {
    for (
      const path of ["_ping", "version", "info", "containers/json", "images/json", "networks", "volumes", "system/df"]
    ) {
      assertEquals((await ask(`/v${version}/${path}`))[0], 200, `${version} ${path}`);
    }
  }
  const [old, , why] = await ask("/v1.23/info");
  assertEquals(old, 400);
  assertStringIncludes(why, "client version 1.23 is too old. Minimum supported API version is 1.24");
  // Archives are what older skopeo asks for by a version that it does not negotiate.
  assertEquals((await ask("/v1.22/images/nothing/get"))[0], 404);
  assertEquals((await ask("/v1.22/images/get?names=nothing"))[0], 404);
  for (const path of ["/v1.22/images/json", "/v1.23/images/get?names=x", "/v1.22/info?/images/get"]) {
    assertEquals((await ask(path))[0], 400, path);
  }
  const [late, announced, reason] = await ask("/v1.53/info");
  assertEquals([late, announced], [400, "1.52"]);
  assertStringIncludes(reason, "client version 1.53 is too new. Maximum supported API version is 1.52");
  assertEquals((await ask("/v1.4.0/info"))[0], 200, "a version of Podman's, which Docker's rule is not about");
  assertEquals((await ask("/v5.0.0/libpod/info"))[0], 200);
});

Deno.test("Docker's tree answers for swarms, plugins and monitor as a host without them does", async () => {
  await using test = await openTestEngine({ pulled: false });
  const ask = async (method: string, path: string) => {
    const response = await test.send(method, path);
    return [response.status, JSON.parse(await response.text()).message ?? ""] as const;
  };
  const none = "This node is not a swarm manager.";
  for (const path of ["/swarm", "/nodes", "/services", "/tasks", "/configs", "/nodes/x", "/services/x/logs"]) {
    for (const prefix of ["", "/v1.44"]) {
      const [status, message] = await ask("GET", prefix + path);
      assertEquals([status, message.startsWith(none)], [503, true], prefix + path);
    }
  }
  assertEquals(await ask("POST", "/swarm/leave"), [503, "This node is not part of a swarm"]);
  assertEquals((await ask("POST", "/swarm/init"))[0], 501);
  assertEquals((await ask("POST", "/services/create"))[0], 503);
  const plugins = await test.send("GET", '/v1.44/plugins?filters={"enabled":["true"]}');
  assertEquals([plugins.status, await plugins.text()], [200, "[]"]);
  assertEquals(await ask("GET", "/plugins/org/name:1/json"), [404, 'plugin "org/name:1" not found']);
  assertEquals((await ask("POST", "/plugins/pull?remote=x"))[0], 501);
  assertEquals(await ask("GET", "/monitor"), [404, "Path /monitor is not supported"]);
});

Deno.test("a sample of stats tells the operating system from version 1.52 on", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "c" });
  const read = async (version: string) => {
    return await (await test.send("GET", `/v${version}/containers/c/stats?stream=0&one-shot=1`)).json();
  };
  assertEquals([(await read("1.52")).os_type, "os_type" in await read("1.51")], ["linux", false]);
});
