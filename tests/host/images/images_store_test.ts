/** The store of images through Debian's `podman --remote` and the Docker CLI. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("podman and docker look at, search, prune and remove images", async () => {
  await using session = await Session.shared();
  const { server, image, registry } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" ")).trim();
  await podman("pull", "-q", image);
  const id = await podman("image", "inspect", image, "--format", "{{.Id}}");
  await podman("image", "exists", image);
  assertEquals((await server.podman("image", "exists", "nothing")).code, 1);
  const tree = await podman("image", "tree", image);
  assertStringIncludes(tree, `Image ID: ${id.slice(0, 12)}`);
  assertStringIncludes(tree, `Top Layer of: [${image}]`);
  assertStringIncludes(await podman("history", image), "layer 2");
  assertStringIncludes(await docker("history", image), "layer 2");
  assertStringIncludes(await podman("search", "--tls-verify=false", `${registry.host}/busybox`), "suite/busybox");
  assertStringIncludes(await docker("search", `${registry.host}/busybox`), "suite/busybox");
  const tags = await podman("search", "--tls-verify=false", "--list-tags", `${registry.host}/suite/busybox`);
  assertStringIncludes(tags, "latest");

  await podman("tag", image, "one:1", "two:2");
  assertEquals((await server.podman("rmi", id)).code, 2, "it has several names");
  const several = await server.podman("rmi", "one:1", "nothing");
  assertEquals(several.code, 1);
  assertStringIncludes(several.stdout, "Untagged: localhost/one:1");
  await podman("run", "-d", "--name", "box", image, "sleep", "100");
  assertEquals((await server.podman("rmi", "-f", "two:2")).code, 0, "a name goes though a container runs");
  assertEquals((await server.podman("rmi", image)).code, 2);
  const forced = await server.docker("rmi", "-f", image);
  assert(forced.code !== 0 && forced.stderr.includes("cannot remove container"), forced.stderr);
  assertEquals(await podman("image", "prune", "-a", "-f"), "");
  await podman("rm", "-f", "-t", "0", "box");
  await podman("untag", image);
  assertEquals(await podman("images", "-q", "--filter", "dangling=true"), id.slice(0, 12));
  assertStringIncludes(await docker("image", "prune", "-f"), id);
  assertEquals(await podman("images", "-q"), "");
});
