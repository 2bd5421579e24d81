import { assertEquals } from "@std/assert";
import { until } from "../../fixtures/session.ts";
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

Deno.test("a container that waits for its restart is restarting in Docker's words, and exited in Podman's", async () => {
  await using test = await openTestEngine();
  const ask = async (path: string) => await (await test.send("GET", path)).json();
  const HostConfig = { RestartPolicy: { Name: "always" } };
  const { Id } =
    await (await test.send("POST", "/containers/create", { Image: TINY_NAME, Cmd: ["exit", "7"], HostConfig }))
      .json();
  assertEquals((await test.send("POST", `/containers/${Id}/start`)).status, 204);
  await until(async () => {
    const { State } = await ask(`/containers/${Id}/json`);
    assertEquals([State.Status, State.Restarting, State.Running, State.ExitCode], ["restarting", true, true, 7]);
    // Between two looks it may be on its way up again.
    const [entry] = await ask("/containers/json");
    assertEquals([entry?.State, /^Restarting \(7\) .* ago$/.test(entry?.Status)], ["restarting", true]);
    const filter = (status: string) => encodeURIComponent(JSON.stringify({ status: [status] }));
    assertEquals((await ask(`/containers/json?filters=${filter("restarting")}`)).length, 1);
    assertEquals((await ask(`/containers/json?filters=${filter("exited")}`)).length, 0);
    assertEquals((await ask(`/libpod/containers/${Id}/json`)).State.Status, "exited");
    assertEquals((await (await test.send("POST", "/containers/prune")).json()).ContainersDeleted ?? [], []);
  });
  await until(async () => {
    // Or it runs just now, which is refused as well.
    const { cause, message } = await (await test.send("DELETE", `/containers/${Id}`)).json();
    assertEquals([cause, message.includes("as it is restarting")], ["container state improper", true]);
  });
  await until(async () => {
    // Where it runs just now, the signal ends it, and a policy does not start it again either.
    assertEquals((await test.send("POST", `/containers/${Id}/kill`)).status, 204);
    const { State } = await ask(`/containers/${Id}/json`);
    assertEquals([State.Status, State.Restarting, State.Running], ["exited", false, false]);
  });
  assertEquals(await ask("/containers/json"), []);
});

Deno.test("CompatListContainers() shows the whole command, and finds those of the bridge by its name", async () => {
  await using test = await openTestEngine();
  const body = { Image: TINY_NAME, Entrypoint: ["sleep"], Cmd: ["100"] };
  assertEquals((await test.send("POST", "/containers/create", body)).status, 201);
  const list = async (filters: unknown) => {
    const query = `all=true&filters=${encodeURIComponent(JSON.stringify(filters))}`;
    const found = await (await test.send("GET", `/containers/json?${query}`)).json();
    return found.map(({ Command }: { Command: string }) => Command);
  };
  assertEquals(await list({ network: ["bridge"] }), ["sleep 100"]);
  assertEquals(await list({ network: ["host"] }), []);
});

Deno.test("CompatGetImages() with a name lists no other name of an image", async () => {
  await using test = await openTestEngine();
  await test.engine.images.tag(TINY_NAME, "other.example/thing:7");
  const filters = encodeURIComponent(JSON.stringify({ reference: ["other.example/thing"] }));
  const [image, ...more] = await (await test.send("GET", `/images/json?filters=${filters}`)).json();
  assertEquals([image.RepoTags, more], [["other.example/thing:7"], []]);
  const steps = await (await test.send("GET", `/images/${TINY_NAME}/history`)).json();
  assertEquals(steps.every(({ Id }: { Id: string }) => /^(<missing>|sha256:[0-9a-f]{64})$/.test(Id)), true);
});

Deno.test("CompatRemoveContainer() leaves containers that joined its network, which cannot start again; the native tree refuses", async () => {
  await using test = await openTestEngine();
  const make = async (name: string, NetworkMode: string) => {
    const body = { Image: TINY_NAME, HostConfig: { NetworkMode } };
    assertEquals((await test.send("POST", `/containers/create?name=${name}`, body)).status, 201);
    assertEquals((await test.send("POST", `/containers/${name}/start`)).status, 204);
  };
  const state = async (name: string) =>
    (await (await test.send("GET", `/containers/${name}/json`)).json()).State?.Status;
  await make("vpn", "bridge");
  await make("app", "container:vpn");
  const refused = await test.send("DELETE", "/libpod/containers/vpn?force=true&timeout=0");
  assertEquals([refused.status, (await refused.json()).cause], [409, "container already exists"]);
  // Compose does so when it makes a container anew: it stops it, and removes it without force.
  assertEquals((await test.send("POST", "/containers/vpn/stop?t=0")).status, 204);
  assertEquals((await test.send("DELETE", "/containers/vpn")).status, 204);
  assertEquals([await state("vpn"), await state("app")], [undefined, "running"]);
  assertEquals((await test.send("POST", "/containers/app/stop?t=0")).status, 204);
  assertEquals((await test.send("POST", "/containers/app/start")).status, 404);
  assertEquals((await test.send("DELETE", "/containers/app")).status, 204);
});
