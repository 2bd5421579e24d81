/** Health checks as the clients ask for them and show them, on a real host. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("containers are checked, told of, and dealt with when they are unhealthy", async (t) => {
  await using session = await Session.shared();
  const { server, image, registry } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  const run = (name: string, ...args: string[]) => podman("run", "-d", "--network=none", "--name", name, ...args);
  const health = async (name: string) => JSON.parse(await podman("inspect", name))[0].State.Health;
  // The client itself does not know these conditions.
  const waitFor = async (name: string, condition: string) => {
    const reply = await server.request("POST", `/libpod/containers/${name}/wait?condition=${condition}`);
    assertEquals([reply.status, await reply.text()], [200, "-1"]);
  };
  await podman("pull", "-q", image);
  const always = ["sh", "-c", "touch /ok; sleep 1000"];

  await t.step("podman run --health-cmd: ps, inspect, events, wait and healthcheck run agree", async () => {
    await run(
      "web",
      "--health-cmd",
      "test -f /ok && echo fine",
      "--health-interval",
      "200ms",
      ...["--health-retries", "1"],
      image,
      ...always,
    );
    await waitFor("web", "healthy");
    assertMatch(await podman("ps", "--format", "{{.Names}} {{.Status}}"), /^web Up .*\(healthy\)$/m);
    const { Status, FailingStreak, Log } = await health("web");
    assertEquals([Status, FailingStreak, Log[0].ExitCode, Log[0].Output], ["healthy", 0, 0, "fine\n"]);
    assertEquals((await server.podman("healthcheck", "run", "web")).code, 0);
    assertEquals(JSON.parse(await podman("inspect", "web"))[0].ExecIDs, []);
    assertEquals((await podman("ps", "-q", "--filter", "health=healthy")).trim().length, 12);
    await podman("exec", "web", "rm", "/ok");
    await waitFor("web", "unhealthy");
    const failed = await server.podman("healthcheck", "run", "web");
    assertEquals([failed.code, failed.stdout.trim()], [1, "unhealthy"]);
    assertMatch(await docker("ps", "--format", "{{.Names}} {{.Status}}"), /^web Up .*\(unhealthy\)$/m);
    assertEquals(JSON.parse(await docker("inspect", "web"))[0].State.Health.Status, "unhealthy");
    const told = await podman("events", "--stream=false", "--since", "1h", "--filter", "event=health_status");
    assertStringIncludes(told, "health_status=unhealthy");
  });

  await t.step("a paused or stopped container is not probed", async () => {
    await podman("pause", "web");
    const before = (await health("web")).Log.at(-1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assertEquals((await health("web")).Log.at(-1), before);
    assertStringIncludes((await server.podman("healthcheck", "run", "web")).stderr, "is not running");
    await podman("unpause", "web");
    await podman("stop", "-t", "0", "web");
    const list = await server.request("GET", "/v1.52/containers/json?all=1");
    assertEquals((await list.json())[0].Health, { Status: "none", FailingStreak: 0 });
    await podman("rm", "web");
  });

  await t.step("docker run --health-cmd, and an image's HEALTHCHECK", async () => {
    const args = ["--health-cmd", "exit 1", "--health-interval", "200ms", "--health-start-period", "1h"];
    await docker("run", "-d", "--network=none", "--name", "boat", ...args, image, ...always);
    assertMatch(await docker("ps", "--format", "{{.Names}} {{.Status}}"), /^boat Up .*\(health: starting\)$/m);
    const Healthcheck = { Test: ["CMD", "test", "-f", "/ok"], Interval: 2e8 };
    await pushImage(registry.url, "suite/checked:latest", busyboxImage({ config: { Healthcheck }, format: "docker" }));
    const checked = image.replace("busybox", "checked");
    await podman("pull", "-q", checked);
    await run("inherits", checked, ...always);
    await waitFor("inherits", "healthy");
    const [{ Config }] = JSON.parse(await docker("inspect", "inherits"));
    assertEquals(Config.Healthcheck, { ...Healthcheck, Timeout: 30e9, Retries: 3 });
    await run("refuses", "--no-healthcheck", checked, ...always);
    // Newer clients leave it out.
    assertEquals((await health("refuses"))?.Log ?? null, null);
    await podman("rm", "-f", "-t", "0", "boat", "inherits", "refuses");
  });

  await t.step("--health-timeout kills a probe; on failure the container is killed, or started anew", async () => {
    const args = ["--health-interval", "200ms", "--health-retries", "1"];
    await run(
      "hangs",
      ...args,
      "--health-cmd",
      "sleep 100",
      "--health-timeout",
      "1s",
      ...["--health-on-failure", "kill"],
      image,
      ...always,
    );
    await run(
      "again",
      ...args,
      "--health-cmd",
      "test -f /ok",
      "--health-on-failure",
      "restart",
      "--stop-timeout",
      "0",
      image,
      ...always,
    );
    await podman("exec", "again", "rm", "-f", "/ok");
    await until(async () => {
      assertEquals(await podman("inspect", "--format", "{{.RestartCount}} {{.State.Status}}", "again"), "1 running\n");
    });
    assertEquals(await podman("wait", "hangs"), "137\n");
    assertEquals((await health("hangs")).Log[0].ExitCode, -1);
    const args2 = ["--health-interval", "100ms", "--health-timeout", "1s", "--health-cmd", "sleep 100; true"];
    await run("leaves", ...args2, image, "sh", "-c", "sleep 1000");
    await until(async () => assert((await health("leaves")).Log?.length >= 2));
    const left = (await podman("top", "leaves", "args")).match(/^sleep 100$/gm) ?? [];
    assert(left.length <= 1, "what a probe started goes with it");
    await podman("rm", "-f", "-t", "0", "leaves");
    await podman("rm", "-f", "-t", "0", "hangs", "again");
  });

  await t.step("checks go on after the server was killed, and what a probe left is gone", async () => {
    const args = ["--health-interval", "200ms", "--health-retries", "2"];
    await run("lives", ...args, "--health-cmd", "test -f /ok || sleep 100", image, ...always);
    await waitFor("lives", "healthy");
    await podman("exec", "lives", "rm", "/ok");
    await until(async () => assertStringIncludes(await podman("top", "lives", "args"), "sleep 100"));
    await server.crash();
    assertEquals((await health("lives")).Status, "healthy");
    await podman("exec", "lives", "touch", "/ok");
    await server.crash();
    await until(async () => assert(!(await podman("top", "lives", "args")).includes("sleep 100\n")));
    const before = (await health("lives")).Log.at(-1).End;
    await until(async () => assert((await health("lives")).Log.at(-1).End > before));
  });
});
