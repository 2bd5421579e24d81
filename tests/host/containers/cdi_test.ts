/** Devices of the Container Device Interface, from files, for real containers. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("devices of vendors are in containers that ask for them, from either client", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-cdi-" });
  const hook = `${folder}/hook`;
  await Deno.writeTextFile(hook, `#!/bin/sh\ncat > /dev/null\necho "$1 $MODE" >> ${folder}/hooked\n`, { mode: 0o755 });
  await Deno.writeTextFile(
    `${folder}/vendor.yaml`,
    [
      'cdiVersion: "0.6.0"',
      "kind: vendor.com/class",
      "containerEdits:",
      "  env: [VENDOR=here]",
      "devices:",
      "  - name: null",
      "    containerEdits:",
      "      env: [DEVICE=null]",
      "      deviceNodes: [{ path: /dev/vendor0, hostPath: /dev/null }]",
      "      additionalGids: [4242]",
      "      mounts: [{ hostPath: " + folder + ", containerPath: /vendor, options: [ro, rbind] }]",
      "      hooks: [{ hookName: createRuntime, path: " + hook + ", args: [hook, one], env: [MODE=made] }]",
    ].join("\n").replace("name: null", 'name: "null"'),
  );
  await Deno.writeTextFile(
    `${folder}/gpu.json`,
    JSON.stringify({
      cdiVersion: "0.5.0",
      kind: "nvidia.com/gpu",
      devices: ["all", "0", "1"].map((name) => ({ name, containerEdits: { env: [`GPU${name}=yes`] } })),
    }),
  );
  await using session = await Session.start({ args: ["--cdi-spec-dir", folder] });
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const script = "echo $VENDOR $DEVICE; ls -l /dev/vendor0 | cut -c1; echo x > /dev/vendor0 && cat /dev/vendor0; " +
    "id -G; test -f /vendor/hook && ! touch /vendor/x 2>/dev/null && echo shown";
  const wanted = "here null\nc\n0 4242\nshown\n";

  try {
    await t.step("podman --device vendor.com/class=name", async () => {
      const { stdout } = await server.podman(
        "run",
        "--rm",
        "--device=vendor.com/class=null",
        image,
        "sh",
        "-c",
        script,
      );
      assertEquals(stdout, wanted);
      assertEquals(await Deno.readTextFile(`${folder}/hooked`), "one made\n");
    });

    await t.step("Docker's DeviceRequests, shown by an inspection", async () => {
      const DeviceRequests = [{ Driver: "cdi", DeviceIDs: ["vendor.com/class=null"] }];
      const body = { Image: image, Cmd: ["sh", "-c", script], HostConfig: { DeviceRequests, NetworkMode: "none" } };
      const made = await server.request("POST", "/containers/create?name=asked", { body });
      assertEquals(made.status, 201);
      ok(await server.docker("start", "asked"));
      ok(await server.docker("wait", "asked"));
      assertEquals(ok(await server.docker("logs", "asked")), wanted);
      const shown = JSON.parse(
        ok(await server.docker("inspect", "--format", "{{json .HostConfig.DeviceRequests}}", "asked")),
      );
      assertEquals([shown[0].Driver, shown[0].DeviceIDs], ["cdi", ["vendor.com/class=null"]]);
    });

    await t.step("--gpus is the vendor's that the host has", async () => {
      const env = async (gpus: string) => ok(await server.docker("run", "--rm", "--gpus", gpus, image, "env"));
      assertStringIncludes(await env("all"), "GPUall=yes");
      assertStringIncludes(await env("2"), "GPU1=yes");
      const body = { image, command: ["env"], gpus: ["0"], netns: { nsmode: "none" } };
      const made = await (await server.request("POST", "/libpod/containers/create", { body })).json();
      ok(await server.podman("start", made.Id));
      ok(await server.podman("wait", made.Id));
      assertStringIncludes(ok(await server.podman("logs", made.Id)), "GPU0=yes");
    });

    await t.step("a device that no file describes is refused in the words of each engine", async () => {
      const lost = "--device=vendor.com/class=lost";
      const podman = await server.podman("run", "--rm", lost, image, "true");
      assertStringIncludes(podman.stderr, "setting up CDI devices: unresolvable CDI devices vendor.com/class=lost");
      const body = (request: unknown) => ({ Image: image, HostConfig: { DeviceRequests: [request] } });
      const request = body({ Driver: "cdi", DeviceIDs: ["vendor.com/class=lost"] });
      ok(await server.podman("rm", "-f", "--ignore", "lost"));
      assertEquals((await server.request("POST", "/containers/create?name=lost", { body: request })).status, 201);
      const docker = await server.docker("start", "lost");
      assertStringIncludes(
        docker.stderr,
        "CDI device injection failed: unresolvable CDI devices vendor.com/class=lost",
      );
      const odd = await server.request("POST", "/containers/create", { body: body({ Driver: "odd", Count: 1 }) });
      assertEquals(odd.status, 400);
      assertStringIncludes((await odd.json()).message, 'could not select device driver "odd" with capabilities: []');
    });

    await t.step("a file that others may write is passed over", async () => {
      await Deno.chmod(`${folder}/gpu.json`, 0o666);
      const body = { image, gpus: ["all"], netns: { nsmode: "none" } };
      const made = await (await server.request("POST", "/libpod/containers/create", { body })).json();
      const { stderr } = await server.podman("start", made.Id);
      assertStringIncludes(stderr, "could not discover GPU vendor: no known GPU vendor found in CDI specs");
      assertStringIncludes(server.stderr, 'gpu.json": others than root may write it');
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
