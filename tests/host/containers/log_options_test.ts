/** Where logs go and how large they get, as the clients ask for it, on a real host. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("logs are kept as asked: by drivers, sizes and places", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", "-q", image);
  const run = ["run", "-d", "--network=none", "--name"];

  await t.step("k8s-file and json-file are one file, by the name that was asked for", async () => {
    for (const driver of ["k8s-file", "json-file"]) {
      await podman(...run, driver, "--log-driver", driver, image, "echo", "hello");
      await podman("wait", driver);
      assertEquals(await podman("logs", driver), "hello\n");
      assertEquals(await podman("inspect", "--format", "{{.HostConfig.LogConfig.Type}}", driver), `${driver}\n`);
    }
    assertEquals(await docker("inspect", "--format", "{{.HostConfig.LogConfig.Type}}", "k8s-file"), "json-file\n");
  });

  await t.step("max-size bounds the file, from both clients", async () => {
    const noise = ["sh", "-c", "i=0; while [ $i -lt 4000 ]; do echo line number $i; i=$((i+1)); done"];
    await podman(...run, "small", "--log-opt", "max-size=10k", image, ...noise);
    const files = await server.docker(
      ...run,
      "little",
      "--log-opt",
      "max-size=10k",
      "--log-opt",
      "max-file=3",
      image,
      ...noise,
    );
    ok(files);
    assertStringIncludes(files.stderr, "WARNING: log option max-file=3: one file is kept");
    for (const name of ["small", "little"]) {
      await podman("wait", name);
      const path = (await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", name)).trim();
      assert((await Deno.stat(path)).size <= 10 * 1024, name);
      assert((await podman("logs", "--tail", "1", name)).startsWith("line number 3999"), name);
    }
  });

  await t.step("a path is written to, and stays when its container goes", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-logs-" });
    const path = `${folder}/mine.log`;
    await podman(...run, "placed", "--log-opt", `path=${path}`, image, "echo", "kept");
    await podman("wait", "placed");
    assertEquals(await podman("logs", "placed"), "kept\n");
    assertEquals(await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", "placed"), `${path}\n`);
    await podman("rm", "placed");
    assertStringIncludes(await Deno.readTextFile(path), "stdout F kept");
    const absent = await server.podman(...run, "lost", "--log-opt", `path=${folder}/no/x.log`, image, "true");
    assertStringIncludes(absent.stderr, `open ${folder}/no/x.log: no such file or directory`);
    await Deno.remove(folder, { recursive: true });
  });

  await t.step("none has no log, and what no driver here does is refused by name", async () => {
    await podman(...run, "silent", "--log-driver", "none", image, "echo", "gone");
    await podman("wait", "silent");
    // Podman's client reads whatever it is answered as a log.
    assertEquals((await server.podman("logs", "silent")).code, 125);
    const logs = await docker("logs", "silent").catch((error) => String(error));
    assertStringIncludes(logs, "this container is using the 'none' log driver, cannot read logs");
    for (
      const [body, field] of [
        [{ driver: "journald" }, '"log_configuration.driver" "journald": this host has no journal'],
        [{ driver: "passthrough" }, '"log_configuration.driver" is not supported yet: "passthrough"'],
        [{ options: { tag: "x" } }, '"log_configuration.options" is not supported yet: "tag=x"'],
      ] as const
    ) {
      const request = { image, log_configuration: body };
      const reply = await server.request("POST", "/libpod/containers/create", { body: request });
      assertEquals([reply.status, (await reply.json()).message], [501, `Create container: ${field}`]);
    }
  });
});
