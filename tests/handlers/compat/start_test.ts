import { assert, assertEquals } from "@std/assert";
import type { UpgradeInit } from "../../../lib/rest/mod.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

for (
  const [what, options, podman, text] of [
    ["a command that cannot be run", { Cmd: ["missing"] }, 500, "not found"],
    ["a user there is not", { User: "nosuch" }, 400, "unable to find user"],
  ] as const
) {
  Deno.test(`${what} is told of by the start, not by the attach before it`, async () => {
    await using test = await openTestEngine();
    const { Id } = await (await test.send("POST", "/containers/create", { Image: TINY_NAME, ...options })).json();
    const announced: UpgradeInit[] = [];
    const output = new TransformStream<Uint8Array, Uint8Array>();
    await test.serve(new Request(`http://d/containers/${Id}/attach?stdout=1`, { method: "POST" }), {
      upgrade(init = {}) {
        announced.push(init);
        const readable = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
        return { readable, writable: output.writable, response: new Response(null) };
      },
    });
    assertEquals(announced.map(({ status }) => status), [200]);
    assertEquals(await new Response(output.readable).text(), "");
    const start = await test.send("POST", `/containers/${Id}/start`);
    const { message } = await start.json();
    assertEquals(start.status, 400);
    assert(message.includes(text), message);
    assertEquals((await test.send("POST", `/libpod/containers/${Id}/attach?stdout=true`)).status, podman);
    assertEquals((await test.send("POST", `/containers/${Id}/attach?stdout=1&detachKeys=ab`)).status, 400);
  });
}

Deno.test("CompatCreateContainer() finds no image of a platform it is not of", async () => {
  await using test = await openTestEngine();
  const create = (platform: string) => {
    return test.send("POST", `/containers/create?platform=${encodeURIComponent(platform)}`, { Image: TINY_NAME });
  };
  const refused = await create("linux/arm64");
  assertEquals(refused.status, 404);
  assert((await refused.json()).message.startsWith("no such image: image with reference"));
  for (const platform of ["linux/amd64", "linux", ""]) assertEquals((await create(platform)).status, 201, platform);
});

Deno.test("CompatStartContainer() removes a container that was to go when it ended and cannot start", async () => {
  await using test = await openTestEngine();
  for (const [AutoRemove, left] of [[true, false], [false, true]]) {
    const body = { Image: TINY_NAME, Cmd: ["missing"], HostConfig: { AutoRemove } };
    const { Id } = await (await test.send("POST", "/containers/create", body)).json();
    const wait = await test.send("POST", `/containers/${Id}/wait?condition=removed`);
    assertEquals((await test.send("POST", `/containers/${Id}/start`)).status, 400);
    assertEquals(test.engine.containers.exists(Id), left);
    if (left) await wait.body?.cancel();
    else assertEquals((await wait.json()).StatusCode !== undefined, true);
  }
});

Deno.test("CompatRemoveContainer() refuses one that runs as a conflict; with force it kills at once", async () => {
  await using test = await openTestEngine();
  const body = { Image: TINY_NAME, Cmd: ["stubborn"], StopTimeout: 3600 };
  const { Id } = await (await test.send("POST", "/containers/create", body)).json();
  await test.send("POST", `/containers/${Id}/start`);
  const refused = await test.send("DELETE", `/containers/${Id}`);
  assertEquals([refused.status, (await refused.json()).message.includes("as it is running")], [409, true]);
  // Podman's own tree answers as Podman does.
  assertEquals((await test.send("DELETE", `/libpod/containers/${Id}`)).status, 500);
  assertEquals((await test.send("DELETE", `/containers/${Id}?force=true`)).status, 204);
  assertEquals(test.engine.containers.exists(Id), false);
});
