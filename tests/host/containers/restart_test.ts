/** Restart policies and time limits, as the clients ask for them, on a real host. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("containers are restarted by their policy, and end when their time is up", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  const state = async (name: string, format: string) => (await podman("inspect", "--format", format, name)).trim();
  const run = (name: string, ...args: string[]) => podman("run", "-d", "--network=none", "--name", name, ...args);
  await podman("pull", "-q", image);

  await t.step("podman run --restart on-failure:2 tries twice more and gives up", async () => {
    await run("fails", "--restart", "on-failure:2", image, "sh", "-c", "echo try; exit 7");
    await until(async () => {
      assertEquals(await state("fails", "{{.RestartCount}} {{.State.Status}} {{.State.ExitCode}}"), "2 exited 7");
    });
    assertEquals(await podman("logs", "fails"), "try\ntry\ntry\n");
    assertEquals(await state("fails", "{{.HostConfig.RestartPolicy}}"), "{on-failure 2}");
    const events = await podman("events", "--stream=false", "--since", "1h", "--filter", "event=restart");
    assertEquals(events.trim().split("\n").length, 2);
  });

  await t.step("docker run --restart always brings a container back until it is stopped", async () => {
    await docker("run", "-d", "--network=none", "--name", "stays", "--restart", "always", image, "sleep", "100");
    const pid = await state("stays", "{{.State.Pid}}");
    Deno.kill(Number(pid), "SIGKILL");
    await until(async () => {
      const [now, status] = (await state("stays", "{{.State.Pid}} {{.State.Status}}")).split(" ");
      assert(now !== pid && status === "running");
    });
    const inspected = await docker(
      "inspect",
      "--format",
      "{{.HostConfig.RestartPolicy.Name}} {{.RestartCount}}",
      "stays",
    );
    assertEquals(inspected, "always 1\n");
    await docker("stop", "-t", "0", "stays");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assertEquals(await state("stays", "{{.State.Status}} {{.RestartCount}}"), "exited 1");
  });

  await t.step(
    "what ended while no server ran is restarted by the next one; what runs past its time is killed all the same",
    async () => {
      await run("back", "--restart", "unless-stopped", image, "sh", "-c", "sleep 0.7");
      const started = performance.now();
      await run("limited", "--timeout", "3", image, "sleep", "100");
      assertEquals(await state("limited", "{{.Config.Timeout}} {{.State.Status}}"), "3 running");
      await server.stop("SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, started + 4_000 - performance.now())));
      await server.launch();
      assertEquals(await state("limited", "{{.State.Status}} {{.State.ExitCode}}"), "exited -1");
      await until(async () => assertMatch(await state("back", "{{.RestartCount}}"), /^[1-9]/));
      await podman("rm", "-f", "-t", "0", "back");
    },
  );

  await t.step("--rm and --restart exclude each other, and a policy has to be one", async () => {
    const both = { image, remove: true, restart_policy: "always" };
    const reply = await server.request("POST", "/v5.0.0/libpod/containers/create", { body: both });
    assertEquals(reply.status, 500);
    const HostConfig = { RestartPolicy: { Name: "sometimes" } };
    const other = await server.request("POST", "/v1.44/containers/create", { body: { Image: image, HostConfig } });
    assertEquals([other.status, (await other.json()).message], [
      400,
      "invalid restart policy: unknown policy 'sometimes'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'",
    ]);
  });
});
