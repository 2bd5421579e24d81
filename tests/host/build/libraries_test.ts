/** The libraries by which JavaScript's programs build: dockerode and testcontainers. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import Docker from "dockerode";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { GitServer } from "../../fixtures/build/git_server.ts";
import { run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/** One message of a build. */
interface Line {
  stream?: string;
  aux?: { ID: string };
  error?: string;
}

/** The part of dockerode that is used here. */
interface DockerClient {
  modem: { followProgress(stream: unknown, done: (error: Error | null, output: Line[]) => void): void };
  buildImage(source: { context: string; src: string[] } | undefined, options: object): Promise<unknown>;
  getImage(name: string): { inspect(): Promise<{ Os: string }> };
}

Deno.test("dockerode builds of a folder, of an archive and of a repository, and follows how it goes", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  // The package has no types of its own.
  const docker = new Docker({ socketPath: server.addresses[0].replace("unix://", "") }) as unknown as DockerClient;
  await using context = await ContextFolder.make({
    "Dockerfile": `FROM ${image}\nARG WHO\nCOPY file /file\nRUN echo "hello $WHO"\n`,
    "file": "content",
  });
  await server.docker("pull", image);
  const follow = async (stream: unknown) => {
    const { promise, resolve, reject } = Promise.withResolvers<Line[]>();
    docker.modem.followProgress(stream, (error, output) => error ? reject(error) : resolve(output));
    return await promise;
  };
  await t.step("buildImage() of files of a folder", async () => {
    const source = { context: context.path, src: ["Dockerfile", "file"] };
    const output = await follow(await docker.buildImage(source, { t: "rode:1", buildargs: { WHO: "you" } }));
    const text = output.map(({ stream = "" }) => stream).join("");
    assertStringIncludes(text, "hello you");
    assertStringIncludes(text, "Successfully tagged rode:1");
    assertMatch(output.find(({ aux }) => aux)?.aux?.ID ?? "", /^sha256:[0-9a-f]{64}$/);
    assertEquals((await docker.getImage("rode:1").inspect()).Os, "linux");
  });
  await t.step("buildImage() with remote", async () => {
    await using git = await GitServer.start();
    await git.commit({ "Dockerfile": `FROM ${image}\nCOPY . /all\nRUN ls /all\n`, "in-git": "" });
    const output = await follow(await docker.buildImage(undefined, { remote: git.url, t: "rode:2" }));
    assertStringIncludes(output.map(({ stream = "" }) => stream).join(""), "in-git");
  });
  await t.step("buildImage() with the session of version 2, told as by the classic builder", async () => {
    const source = { context: context.path, src: ["Dockerfile", "file"] };
    const options = { t: "rode:3", buildargs: { WHO: "both" }, version: "2" };
    const output = await follow(await docker.buildImage(source, options));
    assertStringIncludes(output.map(({ stream = "" }) => stream).join(""), "hello both");
    assertEquals((await docker.getImage("rode:3").inspect()).Os, "linux");
  });
  await t.step("a command that fails is an error of the stream", async () => {
    await context.write("Dockerfile", `FROM ${image}\nRUN exit 9\n`);
    const source = { context: context.path, src: ["Dockerfile"] };
    const output = await follow(await docker.buildImage(source, {}));
    assertStringIncludes(output.at(-1)?.error ?? "", "returned a non-zero code: 9");
  });
});

Deno.test("testcontainers builds an image from a Dockerfile, with BuildKit and without, and runs it", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({
    "Dockerfile": `FROM ${image} AS last\nARG WHO\nCOPY file /file\nRUN echo "$WHO" > /who\n` +
      'CMD ["sh", "-c", "echo ready; sleep 1000"]\nFROM last\nRUN false\n',
    "file": "content",
    ".dockerignore": "left-out",
    "left-out": "x",
  });
  await server.docker("pull", image);
  const program = new URL("../../fixtures/build/testcontainers_build.ts", import.meta.url).pathname;
  const result = await run([
    "env",
    `DOCKER_HOST=${server.addresses[0]}`,
    // It would be pulled, and the test has no such image.
    "TESTCONTAINERS_RYUK_DISABLED=true",
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    program,
    context.path,
    "gantry-test:1",
  ]);
  assertEquals([result.code, result.stdout.trim()], [0, "testcontainers\ncontent"], result.stderr);
  // By withBuildkit(), of the same files.
  const { stdout } = await server.docker("run", "--rm", "gantry-test:1-buildkit", "cat", "/who");
  assertEquals(stdout.trim(), "testcontainers");
});

/** docker-py puts a Dockerfile from elsewhere into the context under a name of its own, and sends its text besides. */
const PYTHON = `import docker, sys
client = docker.from_env()
folder, dockerfile = sys.argv[1:]
image, _ = client.images.build(path=folder, dockerfile=dockerfile, tag="outside:1", rm=True)
print(client.containers.run(image, ["cat", "/src/file"], remove=True).decode())
container = client.containers.run("outside:1", ["sleep", "1000"], detach=True)
made = client.api.exec_create(container.id, ["echo", "said"], tty=True)
print(client.api.exec_start(made["Id"]))
print(container.attrs["Config"]["Image"])
container.remove(force=True)`;

Deno.test("docker-py builds by a Dockerfile outside the context, and knows answers by the words that it asked with", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({ "file": "content" });
  await using elsewhere = await ContextFolder.make({ "Other": `FROM ${image}\nCOPY . /src\nWORKDIR /src\n` });
  await server.docker("pull", image);
  const words = ["python3", "-c", PYTHON, context.path, `${elsewhere.path}/Other`];
  const result = await run(["env", `DOCKER_HOST=${server.addresses[0]}`, ...words]);
  assertEquals([result.code, result.stdout], [0, "content\nb'said\\r\\n'\noutside:1\n"], result.stderr);
});
