/** Archives of images through Debian's `podman --remote`, the Docker CLI and skopeo. */
import { assert, assertEquals } from "@std/assert";
import { ok as done, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("podman and docker save, load and import, and skopeo reads what they wrote", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const podman = async (...args: string[]) => done(await server.podman(...args), args.join(" ")).trim();
  const docker = async (...args: string[]) => done(await server.docker(...args), args.join(" ")).trim();
  await podman("pull", "-q", image);
  const id = await podman("image", "inspect", image, "--format", "{{.Id}}");
  const places = {
    "docker-archive": `docker-archive:${folder}/docker-archive`,
    "oci-archive": `oci-archive:${folder}/oci-archive`,
    "oci-dir": `oci:${folder}/oci-dir`,
    "docker-dir": `dir:${folder}/docker-dir`,
  };
  for (const [format, place] of Object.entries(places)) {
    await podman("save", "-q", "--format", format, "-o", `${folder}/${format}`, image);
    const config = await run(["skopeo", "inspect", "--raw", "--config", place]);
    assertEquals(config.code, 0, config.stderr);
  }
  // skopeo takes images out of a Docker engine, and brings them there.
  const host = server.addresses[0];
  const copy = ["skopeo", "copy", "-q", "--src-daemon-host", host, "--dest-daemon-host", host];
  done(await run([...copy, `docker-daemon:${image}`, `docker-archive:${folder}/taken:brought:1`]), "skopeo takes");
  done(await run([...copy, `docker-archive:${folder}/taken`, "docker-daemon:brought:1"]), "skopeo brings");
  assertEquals(await podman("image", "inspect", "docker.io/library/brought:1", "--format", "{{.Id}}"), id);
  await podman("rmi", "docker.io/library/brought:1");
  await podman("rmi", image);
  for (const format of ["docker-archive", "oci-archive"]) {
    assertEquals(await podman("load", "-q", "-i", `${folder}/${format}`), `Loaded image: ${image}`);
    assertEquals(await podman("image", "inspect", image, "--format", "{{.Id}}"), id);
    assertEquals(await podman("run", "--rm", image, "echo", "hello"), "hello");
    await podman("rmi", image);
  }
  await podman("load", "-q", "-i", `${folder}/docker-archive`);
  await podman("tag", image, "localhost/second:2");
  await docker("save", "-o", `${folder}/both`, image, "localhost/second:2");
  await podman("rmi", "-a", "-f");
  assert((await docker("load", "-i", `${folder}/both`)).includes("localhost/second:2"));
  // The root of the image as an archive: what a container's export would be.
  const root = await run(["tar", "-C", `${folder}/docker-dir`, "-cf", `${folder}/root.tar`, "version"]);
  assertEquals(root.code, 0);
  await podman("import", "-q", "-c", "CMD=/x", "-m", "note", `${folder}/root.tar`, "localhost/made:1");
  assertEquals(
    await podman("image", "inspect", "localhost/made:1", "--format", "{{.Config.Cmd}} {{.Comment}}"),
    "[/bin/sh -c /x] note",
  );
  assert((await docker("import", `${folder}/root.tar`, "other:3")).startsWith("sha256:"));
  assert((await podman("images", "--format", "{{.Repository}}:{{.Tag}}")).includes("docker.io/library/other:3"));
  await Deno.remove(folder, { recursive: true });
});
