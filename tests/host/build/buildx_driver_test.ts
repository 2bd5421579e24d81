/** buildx with a builder of its own in a container: the driver that ships with Docker for everything its own driver has not. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BUILDX_PLUGIN } from "../../../scripts/later_debian/client_programs.ts";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/**
 * The programs of an image that stands in for BuildKit's own, which cannot be had here. The daemon waits; the client that buildx runs in
 * the container leads to a server of ours: it asks for the protocol, takes the answer's header off, and passes bytes on.
 */
const PROGRAMS = {
  buildkitd: "#!/bin/sh\nls /etc/buildkit > /var/lib/buildkit/files 2>&1\nexec sleep 100000\n",
  buildctl: `#!/bin/sh
[ "$1" = dial-stdio ] || exit 0
ask() {
  printf 'POST /grpc HTTP/1.1\\r\\nHost: docker\\r\\nConnection: Upgrade\\r\\nUpgrade: h2c\\r\\nContent-Length: 0\\r\\n\\r\\n'
  exec cat
}
ask | nc 127.0.0.1 "$(cat /etc/engine-port)" | {
  while IFS= read -r line; do [ "$line" = "$(printf '\\r')" ] && break; done
  exec cat
}
`,
};

Deno.test("buildx's docker-container driver pulls its image, runs it, copies its settings in, and builds through it", async (t) => {
  await using session = await Session.shared();
  const { server, image, registry } = session;
  const [address, tcp] = server.addresses;
  const folder = `${server.folder}/docker`;
  await Deno.mkdir(`${folder}/cli-plugins`, { recursive: true });
  await Deno.symlink(BUILDX_PLUGIN, `${folder}/cli-plugins/docker-buildx`);
  const env = { DOCKER_CONFIG: folder, DOCKER_HOST: address, HOME: server.folder };
  const docker = (...args: string[]) => run(["docker", ...args], { env, timeout: 120_000 });
  const file = (path: string, content: string, mode = 0o755) => ({ type: "file" as const, path, mode, content });
  const standIn = busyboxImage({
    config: { Entrypoint: ["/bin/buildkitd"] },
    layers: [{
      entries: [
        ...Object.entries(PROGRAMS).map(([name, text]) => file(`bin/${name}`, text)),
        file("etc/engine-port", tcp.slice(tcp.lastIndexOf(":") + 1), 0o644),
      ],
    }],
  });
  await pushImage(registry.url, "suite/buildkit:1", standIn);
  await Deno.writeTextFile(`${server.folder}/buildkitd.toml`, "debug = true\n");

  await t.step("a builder starts: its image, its container, its volume, its settings", async () => {
    const made = await docker(
      ...["buildx", "create", "--name", "own", "--driver", "docker-container", "--bootstrap"],
      ...["--driver-opt", `image=${registry.host}/suite/buildkit:1`, "--driver-opt", "network=host"],
      ...["--buildkitd-config", `${server.folder}/buildkitd.toml`],
    );
    assertEquals(made.code, 0, made.stdout + made.stderr);
    const [{ HostConfig, Mounts, State }] = JSON.parse(ok(await docker("inspect", "buildx_buildkit_own0")));
    assertEquals([HostConfig.Privileged, HostConfig.NetworkMode, State.Running], [true, "host", true]);
    assertEquals(Mounts[0].Name, "buildx_buildkit_own0_state");
    assertEquals(
      ok(await docker("exec", "buildx_buildkit_own0", "cat", "/etc/buildkit/buildkitd.toml")).trim(),
      "debug = true",
    );
    const shown = ok(await docker("buildx", "inspect", "own"));
    assertMatch(shown, /Driver:\s+docker-container/);
    assertMatch(shown, /Status:\s+running/);
  });
  await t.step("a build goes through it, and its files come back", async () => {
    await using context = await ContextFolder.make({
      "Dockerfile":
        `FROM ${image} AS made\nCOPY file /copied\nRUN cat /copied /copied > /twice\nFROM scratch\nCOPY --from=made /twice /twice\n`,
      "file": "through\n",
    });
    const out = `${server.folder}/out`;
    const built = await docker(
      ...["buildx", "build", "--builder", "own", "--progress=plain", "--provenance=false"],
      ...["--output", `type=local,dest=${out}`, context.path],
    );
    assertEquals(built.code, 0, built.stdout + built.stderr);
    assertStringIncludes(built.stderr, 'building with "own" instance using docker-container driver');
    assertEquals(await Deno.readTextFile(`${out}/twice`), "through\nthrough\n");
  });
  await t.step("its cache goes to a repository, and is found there", async () => {
    await using context = await ContextFolder.make({
      "Dockerfile": `FROM ${image}\nRUN date +%s%N > /made\nFROM scratch\nCOPY --from=0 /made /made\n`,
    });
    const build = async (name: string, ...args: string[]) => {
      const out = `${server.folder}/${name}`;
      const own = ["--builder", "own", "--progress=plain", "--output", `type=local,dest=${out}`];
      const built = await docker("buildx", "build", "--provenance=false", ...own, ...args, context.path);
      assertEquals(built.code, 0, built.stdout + built.stderr);
      return await Deno.readTextFile(`${out}/made`);
    };
    const ref = `type=registry,ref=${registry.host}/team/cache:main`;
    const made = await build("first", "--cache-to", `${ref},mode=max`);
    ok(await docker("buildx", "prune", "--builder", "own", "--all", "--force"));
    assertEquals(await build("second", "--cache-from", ref), made, "the command did not run again");
    const refused = await docker(
      ...["buildx", "build", "--builder", "own", "--cache-to", `type=local,dest=${server.folder}/cache`, context.path],
    );
    assertStringIncludes(refused.stderr, 'a cache of type "local" is not supported for writing');
  });
  await t.step("the builder goes, with all that it had", async () => {
    ok(await docker("buildx", "rm", "own"));
    assertEquals(ok(await docker("ps", "-aq")), "");
    assertEquals(ok(await docker("volume", "ls", "-q")), "");
  });
});
