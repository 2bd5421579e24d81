/** The server is killed without warning; what runs goes on, and the next server knows the truth. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ok } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";
import { traces } from "../fixtures/traces.ts";
import { isLongRun } from "../long_run.ts";

Deno.test("a server killed by SIGKILL finds its containers again", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);

  await t.step("running containers go on, their logs continue, ends meanwhile are known", async () => {
    const counting = "i=0; while true; do echo tick $i; i=$((i+1)); sleep 0.1; done";
    await podman("run", "-d", "--name", "lives", image, "sh", "-c", counting);
    await podman("run", "-d", "--name", "ends", "--network=none", image, "sh", "-c", "sleep 1; exit 42");
    await podman("run", "-d", "--name", "leaves", "--rm", "--network=none", image, "sh", "-c", "sleep 1; exit 3");
    await podman("create", "--name", "waits", "--network=none", image, "true");
    const pid = await podman("inspect", "--format", "{{.State.Pid}}", "lives");
    await server.stop("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const before = performance.timeOrigin + performance.now();
    await server.launch();

    assertEquals(await podman("inspect", "--format", "{{.State.Status}} {{.State.Pid}}", "lives"), `running ${pid}`);
    assertEquals(await podman("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", "ends"), "exited 42\n");
    const [ended] = JSON.parse(await podman("inspect", "ends"));
    assert(Date.parse(ended.State.FinishedAt) < before, "the end is dated when it happened, not when it was noticed");
    assertEquals(await podman("inspect", "--format", "{{.State.Status}}", "waits"), "created\n");
    await until(async () => assertEquals((await server.podman("container", "exists", "leaves")).code, 1));

    const seen = (await podman("logs", "lives")).trim().split("\n").length;
    await until(async () => {
      const lines = (await podman("logs", "lives")).trim().split("\n");
      assert(lines.length > seen);
      assertEquals(lines, lines.map((_, i) => `tick ${i}`));
    });
    await podman("stop", "-t", "0", "lives");
    assertEquals(await podman("wait", "lives"), "137\n");
    await podman("start", "waits");
    assertEquals(await podman("wait", "waits"), "0\n");
    await podman("rm", "-a");
  });

  await t.step("killed in the middle of work, nothing leaks and nothing half-made shows", async () => {
    const ids = new Set<string>();
    for (let round = 0; round < (isLongRun ? 40 : 6); round++) {
      const clients = Array.from({ length: 4 }, async () => {
        const result = await server.podman("run", "-d", image, "sh", "-c", "sleep 0.2").catch(() => undefined);
        if (result?.code === 0) ids.add(result.stdout.trim());
      });
      // A different moment of the work each round, spread over what a start takes.
      await new Promise((resolve) => setTimeout(resolve, 60 + 45 * (round % 10)));
      await server.crash();
      await Promise.all(clients);
      const listed = JSON.parse(await podman("ps", "-a", "--no-trunc", "--format", "json"));
      for (const id of ids) assert(listed.some((c: { Id: string }) => c.Id === id), `${id} was answered and is gone`);
    }
    for (const { Id } of JSON.parse(await podman("ps", "-a", "--no-trunc", "--format", "json"))) ids.add(Id);
    await podman("rm", "-af", "-t", "0");
    await until(() => {
      assertEquals(traces(server.folder, [...ids]), {
        processes: [],
        mounts: [],
        namespaces: [],
        cgroups: [],
        interfaces: [],
      });
      return Promise.resolve();
    });
  });
});

Deno.test("a stopped server leaves its containers running and its socket gone", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const id = ok(await server.podman("run", "-d", "--network=none", image, "sleep", "60")).trim();
    const status = await server.stop(signal);
    assertEquals(status.code, 0, server.stderr);
    await server.launch();
    assertEquals(ok(await server.podman("inspect", "--format", "{{.State.Status}}", id)), "running\n");
  }
});

Deno.test("two servers with different roots live side by side", async () => {
  await using one = await Session.start();
  await using two = await Session.start();
  const addresses = await Promise.all([one, two].map(async ({ server, image }) => {
    ok(await server.podman("pull", image));
    const ids = await Promise.all([1, 2].map(() => server.podman("run", "-d", image, "sleep", "60")));
    const format = "{{.NetworkSettings.IPAddress}}";
    return await Promise.all(
      ids.map(async (id) => ok(await server.podman("inspect", "--format", format, ok(id).trim()))),
    );
  }));
  assertEquals(new Set(addresses.flat()).size, 4, `every container has an address of its own: ${addresses.flat()}`);
  for (const { server } of [one, two]) ok(await server.podman("rm", "-af", "-t", "0"));
  ok(await one.server.podman("run", "-d", "--name", "same", one.image, "sleep", "60"));
  ok(await two.server.podman("run", "-d", "--name", "same", two.image, "sleep", "60"));
  assertEquals(ok(await one.server.podman("ps", "--format", "{{.Names}}")), "same\n");
});

Deno.test("a second server on the same root is refused", async () => {
  await using session = await Session.start();
  const { Server } = await import("../fixtures/server.ts");
  let refused = "";
  try {
    await Server.start({ folder: session.server.folder });
  } catch (error) {
    refused = String(error);
  }
  assertStringIncludes(refused, "another server");
  assertEquals(ok(await session.server.podman("ps", "-aq")), "");
});

Deno.test("a terminal that is closed ends a server as a user does: in order, and containers go on", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("run", "-d", "--name", "box", image, "sleep", "600"));
  const { code } = await server.stop("SIGHUP");
  assertEquals(code, 0, server.stderr);
  assertStringIncludes(server.stderr, "stopping on SIGHUP");
  await assertRejects(() => Deno.lstat(server.socket), Deno.errors.NotFound);
  await server.launch();
  assertEquals(ok(await server.podman("ps", "--format", "{{.Names}}")), "box\n");
});
