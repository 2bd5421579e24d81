/** Containers that wait for create requests like an earlier one, on a real host. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";

Deno.test("containers wait for requests with the label io.gantry.warm", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const listed = async () =>
    (await podman("ps", "-aq", "--no-trunc", "--filter=label=io.gantry.warm.waiting")).split("\n").filter(Boolean);
  const untilWaiting = (count: number) =>
    until(async () => {
      const ids = await listed();
      assertEquals(ids.length, count);
      for (const id of ids) assertEquals(await podman("inspect", "--format={{.State.Status}}", id), "initialized\n");
      return ids;
    });
  const says = "hostname; cat /etc/hosts; echo new >> /etc/hosts";
  const run = (name: string, network: string, ...options: string[]) =>
    podman(
      "run",
      `--name=${name}`,
      `--network=${network}`,
      "--label=io.gantry.warm=2",
      ...options,
      image,
      "sh",
      "-c",
      says,
    );

  for (const network of ["none", "bridge"]) {
    await t.step(`network ${network}: the next one like it is one that waited, under its own name`, async () => {
      await run(`first-${network}`, network);
      const waiting = await untilWaiting(2);
      const output = await run(`second-${network}`, network);
      const second = (await podman("inspect", "--format={{.Id}}", `second-${network}`)).trim();
      assert(waiting.includes(second));
      const short = second.slice(0, 12);
      assertMatch(output, new RegExp(`^${short}\n`));
      assertMatch(output, new RegExp(`^[\\d.]+\t${short} second-${network}$`, "m"));
      assert(!output.includes("warm-"), output);
      const labels = JSON.parse(await podman("inspect", "--format={{json .Config.Labels}}", second));
      assertEquals(labels, { "io.gantry.warm": "2" });
      assert(!(await untilWaiting(2)).includes(second));
      await podman("rm", "-f", ...await listed());
      await untilWaiting(0);
    });
  }

  await t.step("one has the limits that were asked for", async () => {
    const made = () => podman("create", "--memory=64m", "--network=none", "--label=io.gantry.warm=1", image, "true");
    await made();
    const [id] = await untilWaiting(1);
    assertEquals((await made()).trim(), id);
    assertEquals(await podman("inspect", "--format={{.HostConfig.Memory}}", id), "67108864\n");
    await untilWaiting(1);
    await podman("rm", "-f", ...await listed());
    await untilWaiting(0);
  });

  await t.step("Docker's client gets them, too, and one with a terminal, input and an anonymous volume", async () => {
    const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
    const asked = [
      "-i",
      "-v=/data",
      "--label=io.gantry.warm=1",
      image,
      "sh",
      "-c",
      "cat > /data/it; ls /data",
    ];
    const made = () => docker("create", ...asked);
    await made();
    const [id] = await untilWaiting(1);
    assertEquals((await made()).trim(), id);
    assertEquals(await docker("inspect", "--format={{.State.Status}}", id), "created\n");
    assertEquals(await docker("start", "-ai", id), "it\n");
    const volume = (name: string) => docker("inspect", "--format={{(index .Mounts 0).Name}}", name);
    const [other] = await untilWaiting(1);
    assert(await volume(id) !== await volume(other), "each has a volume of its own");
  });

  await t.step("one that waits cannot be started, and a request for which none can wait says why", async () => {
    const [id] = await untilWaiting(1);
    const refused = await server.podman("start", id);
    assertEquals(refused.code, 125);
    assertStringIncludes(refused.stderr, "waits for a create request like its own and cannot be used before");
    const body = {
      Image: image,
      Labels: { "io.gantry.warm": "1" },
      HostConfig: { PublishAllPorts: true },
      ExposedPorts: { "80/tcp": {} },
    };
    const { Warnings } = await (await server.request("POST", "/v1.41/containers/create", { body })).json();
    assertEquals(Warnings, ["No containers wait for requests like this one: it publishes ports"]);
  });

  await t.step("after a kill of the server, and after its end, none waits and nothing of it is left", async () => {
    await podman("rm", "-fa", "-v");
    await untilWaiting(0);
    for (const end of ["SIGKILL", "SIGTERM"] as const) {
      const before = traces(server.folder);
      await run(`life-${end}`, "bridge");
      await untilWaiting(2);
      await server.stop(end);
      await server.launch();
      assertEquals(await listed(), []);
      await podman("rm", `life-${end}`);
      await until(() => Promise.resolve().then(() => assertEquals(traces(server.folder), before)));
    }
  });
});
