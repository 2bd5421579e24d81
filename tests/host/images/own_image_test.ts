/** The image of Gantry itself, built by Gantry and run on Gantry. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildImage } from "../../../scripts/image.ts";
import { fetchOver } from "../../conformance/fetch_over.ts";
import { makeProgram } from "../../../scripts/package/program_files.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("the image of task image runs on Gantry: the inner engine answers, loads, pulls and lists, and says why it runs nothing", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const file = `${server.folder}/image.tar`;
  const program = await makeProgram();
  const { name } = await buildImage({ file, program, name: "localhost/gantry:test" });
  await podman("load", "-q", "-i", file);

  await t.step("its command is gantry", async () => {
    assertMatch(await podman("run", "--rm", "--network=none", name, "version"), /^gantry {3}\d+\.\d+/);
  });
  const shared = `${server.folder}/inner`;
  await Deno.mkdir(shared, { mode: 0o700 });
  // The host's network: the registry of this test is on its loopback.
  await podman("run", "-d", "--name", "inner", "--network=host", "-v", `${shared}:/run/gantry`, name);
  const address = `unix://${shared}/gantry.sock`;
  await until(async () => assertEquals((await fetchOver(address, "GET", "/_ping")).status, 200));
  const inner = async (...args: string[]) => ok(await server.podmanAt(address, args), args.join(" ")).trim();

  await t.step("_ping and info", async () => {
    const info = await (await fetchOver(address, "GET", "/v1.41/info")).json();
    assertEquals(info.Images, 0);
  });
  await t.step("pull, save, load and list", async () => {
    await inner("pull", "-q", "--tls-verify=false", image);
    await inner("save", "-q", "-o", `${server.folder}/inner.tar`, image);
    await inner("rmi", image);
    assertEquals(await inner("images", "-q"), "");
    await inner("load", "-q", "-i", `${server.folder}/inner.tar`);
    assertEquals(await inner("images", "--format", "{{.Repository}}:{{.Tag}}"), image);
  });
  await t.step("a container has its reason, and doctor the whole list", async () => {
    const refused = await server.podmanAt(address, ["run", "--rm", image, "true"]);
    assert(refused.code !== 0);
    assertStringIncludes(refused.stderr, "Open host: perl is not installed");
    const command = ["/usr/bin/deno", "run", "-A", "--quiet", "--no-config", "/usr/lib/gantry/gantry.mjs", "doctor"];
    const { code, stdout } = await server.podman("exec", "inner", ...command);
    assertEquals(code, 1);
    assertStringIncludes(stdout, "the image of Gantry");
    assertStringIncludes(stdout, "containers: conmon is missing");
    assertStringIncludes(stdout, "Containers cannot run here. All else of gantry serve does.");
  });
  await t.step("it stops on the signal of the image", async () => {
    await podman("stop", "-t", "30", "inner");
    assertEquals(await podman("inspect", "inner", "--format", "{{.State.ExitCode}}"), "0");
  });
});
