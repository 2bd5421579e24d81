/** Images made of containers by the real clients. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";
import { isLongRun } from "../../long_run.ts";

/** What the container of these tests does to its tree. */
const WORK =
  "echo new > /new; chmod 4755 /new; rm /layers/kept; rm -r /opaque; mkdir /opaque; echo 1 > /opaque/one; touch /done";
const SHOW = "cat /new; stat -c %a /new; ls /layers /opaque";
const SHOWN = "new\n4755\n/layers:\n\n/opaque:\none\n";

async function start() {
  const session = await Session.shared();
  const podman = async (...args: string[]) => ok(await session.server.podman(...args), args.join(" "));
  await podman("pull", session.image);
  const options = ["--network=none", "-e", "OWN=1", "--label", "own=1", "-v", "/anonymous", "-v", "named:/named"];
  await podman("run", "-d", "--name", "made", ...options, session.image, "sh", "-c", `${WORK}; sleep 1000`);
  await until(() => podman("exec", "made", "ls", "/done"));
  return { session, podman, ...session, server: session.server, image: session.image };
}

Deno.test("podman commit makes an image that holds what the container changed", async (t) => {
  const { session, podman, server, image } = await start();
  await using _session = session;
  const inspect = async (name: string) => JSON.parse(await podman("image", "inspect", name))[0];

  await t.step("with changes, an author and a name; run again it shows the files", async () => {
    const changes = ['CMD ["cat","/new"]', 'ENV X="a b" Y=c', "EXPOSE 80 443/udp", "LABEL=q=1", "WORKDIR /layers"];
    const more = ["USER 1000", "VOLUME /data", "STOPSIGNAL SIGINT", 'ENTRYPOINT ["/bin/busybox"]'];
    const flags = [...changes, ...more].flatMap((change) => ["-c", change]);
    const id = (await podman("commit", "-q", "-a", "somebody", ...flags, "made", "suite/changed:v1")).trim();
    const { Id, Config, Author, RepoTags, RootFS, ManifestType } = await inspect("suite/changed:v1");
    assertEquals([Id, Author, RepoTags], [id, "somebody", ["localhost/suite/changed:v1"]]);
    assertEquals(ManifestType, "application/vnd.oci.image.manifest.v1+json");
    assertEquals(Config.Entrypoint, ["/bin/busybox"]);
    assertEquals(Config.Cmd, ["cat", "/new"]);
    assertEquals(Config.Env.filter((line: string) => !line.startsWith("PATH=")), ["OWN=1", "X=a b", "Y=c"]);
    assertEquals(Config.ExposedPorts, { "80/tcp": {}, "443/udp": {} });
    assertEquals([Config.User, Config.WorkingDir, Config.Labels], ["1000", "/layers", { own: "1", q: "1" }]);
    assertEquals(Object.keys(Config.Volumes).sort(), ["/anonymous", "/data"]);
    assertEquals(RootFS.Layers.length, (await inspect(image)).RootFS.Layers.length + 1);
    const steps = JSON.parse(await podman("history", "--format", "json", "suite/changed:v1"));
    assertStringIncludes(steps[0].comment, `FROM ${image}`);
    assertEquals(steps[0].CreatedBy, "/bin/sh", "as Podman's own");
    assertEquals([steps[0].id, steps[1].id], [id, (await inspect(image)).Id], "the image it was made on is named");
    assertEquals(await podman("run", "--rm", "--network=none", "suite/changed:v1"), "new\n");
    const shown = ["run", "--rm", "--network=none", "--entrypoint", "sh", "suite/changed:v1", "-c", SHOW];
    assertEquals(await podman(...shown), SHOWN);
  });

  await t.step("in Docker's format with a message; squashed; without a name", async () => {
    await podman("commit", "-q", "-f", "docker", "-m", "why", "made", "docker:v1");
    const { Comment, ManifestType } = await inspect("docker:v1");
    assertEquals([Comment, ManifestType], ["why", "application/vnd.docker.distribution.manifest.v2+json"]);
    await podman("commit", "-q", "-s", "made", "flat:v1");
    assertEquals((await inspect("flat:v1")).RootFS.Layers.length, 1);
    assertEquals(await podman("run", "--rm", "--network=none", "flat:v1", "sh", "-c", SHOW), SHOWN);
    const unnamed = (await podman("commit", "-q", "made")).trim();
    assertEquals((await inspect(unnamed)).RepoTags ?? [], []);
  });

  await t.step("docker commit gives Docker's names, and the event tells of it", async () => {
    const id = ok(await server.docker("commit", "-m", "note", "-c", 'CMD ["echo","hi"]', "made", "hub:v1")).trim();
    const shown = ok(await server.docker("history", "--no-trunc", "--format", "{{.CreatedBy}}|{{.Comment}}", "hub:v1"));
    assertStringIncludes(shown.split("\n")[0], "sh -c echo new > /new", "the container's command, as Docker's own");
    assertEquals(shown.split("\n")[0].split("|").at(-1), "note", "nothing but the message");
    assertEquals((await inspect("docker.io/library/hub:v1")).Id, id);
    assertEquals(ok(await server.docker("run", "--rm", "--network=none", "hub:v1")), "hi\n");
    const events = await podman("events", "--stream=false", "--since", "5m", "--filter", "event=commit");
    assertEquals(events.trim().split("\n").length, 5);
  });

  await t.step("a container that is paused meanwhile goes on", async () => {
    await podman("commit", "-q", "-p", "made", "still:v1");
    assertEquals(await podman("inspect", "--format", "{{.State.Status}}", "made"), "running\n");
  });

  await t.step("what makes no sense is refused, and leaves nothing", async () => {
    const before = await podman("images", "-aq");
    const refused: [string[], string][] = [
      [["-c", "RUN true", "made"], "invalid instruction RUN"],
      [["-c", "EXPOSE no", "made"], "EXPOSE port must be an integer"],
      [["-m", "text", "made"], "messages are only compatible with the docker image format"],
      [["nobody"], "no such container"],
      [["made", "BAD/Name"], "must be lowercase"],
    ];
    for (const [args, why] of refused) {
      const result = await server.podman("commit", ...args);
      assert(result.code !== 0, args.join(" "));
      assertStringIncludes(result.stderr, why);
    }
    assertEquals(await podman("images", "-aq"), before);
  });

  await t.step("stream=true tells what is done, then the ID", async () => {
    const reply = await server.request("POST", "/v5.0.0/libpod/commit?container=made&stream=true");
    const lines = (await reply.text()).trim().split("\n").map((line) => JSON.parse(line).stream);
    assertEquals([lines.length, /^[0-9a-f]{64}$/.test(lines[1])], [2, true]);
  });
});

Deno.test("SIGKILL of the server in the middle of a commit leaves no image, no mount and no frozen container", async () => {
  const { session, podman, server } = await start();
  await using _session = session;
  await podman("exec", "made", "sh", "-c", "dd if=/dev/urandom of=/big bs=1M count=64 2>/dev/null");
  const id = (await podman("inspect", "--format", "{{.Id}}", "made")).trim();
  for (let round = 0; round < (isLongRun ? 20 : 3); round++) {
    const commit = server.podman("commit", "-q", "-p", "-s", "made", `cut:${round}`);
    await new Promise((resolve) => setTimeout(resolve, 150 + 150 * round));
    await server.crash();
    const { code } = await commit;
    const names = await podman("images", "--format", "{{.Repository}}:{{.Tag}}");
    if (code === 0) assertStringIncludes(names, `localhost/cut:${round}\n`);
    const images = JSON.parse(await podman("images", "--format", "json"));
    for (const { Id } of images) await podman("image", "inspect", Id);
    assertEquals(await podman("inspect", "--format", "{{.State.Status}}", "made"), "running\n");
    assertEquals(await podman("exec", "made", "echo", "alive"), "alive\n");
  }
  await podman("rm", "-f", "-t", "0", "made");
  assertEquals(traces(server.folder, [id]).mounts, []);
});
