/** Everything Debian's podman asks of a registry, against one with a password and a certificate of its own. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildImage, buildIndex, busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { REGISTRY_USER, startRegistry, type TestRegistry } from "../../fixtures/images/registry.ts";
import { ok, run, type RunResult } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";

const CREDS = `${REGISTRY_USER.username}:${REGISTRY_USER.password}`;
const WRONG = `${REGISTRY_USER.username}:wrong`;
const BUSYBOX = busyboxImage();
const ARM = buildImage({
  layers: [{ entries: [{ type: "file", path: "arm", content: "x" }] }],
  architecture: "arm64",
  variant: "v8",
});
const MULTI = buildIndex([BUSYBOX, ARM]);

/** The guarded registry with images in it, and files by which clients and servers get into it. */
class Guarded implements AsyncDisposable {
  private constructor(readonly registry: TestRegistry, readonly folder: string) {}

  static async start(): Promise<Guarded> {
    const guarded = new Guarded(
      await startRegistry({ auth: true, tls: true }),
      await Deno.makeTempDir({ prefix: "gantry-guarded-" }),
    );
    const { folder, registry: { host, ca, storage } } = guarded;
    await Deno.mkdir(`${folder}/certs/${host}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/certs/${host}/ca.crt`, ca ?? "");
    for (const [name, creds] of [["good", CREDS], ["bad", WRONG]]) {
      await Deno.writeTextFile(`${folder}/${name}.json`, JSON.stringify({ auths: { [host]: { auth: btoa(creds) } } }));
    }
    // Filled through a door without a lock: another registry on the same storage.
    const door = await startRegistry({ storage });
    try {
      for (const tag of ["1", "2"]) await pushImage(door.url, `team/bb:${tag}`, BUSYBOX);
      await pushImage(door.url, "team/multi:1", MULTI);
    } finally {
      await door.close();
    }
    return guarded;
  }

  /** A server that knows the registry's certificate. */
  server(...args: string[]): Promise<Server> {
    const registries = `unqualified-search-registries = ["${this.registry.host}"]\n`;
    return Server.start({ registries, args: [`--certs-dir=${this.folder}/certs`, ...args] });
  }

  /** The registry's repositories. */
  repositories(): string[] {
    const root = `${this.registry.storage}/docker/registry/v2/repositories`;
    return [...Deno.readDirSync(root)].flatMap((team) =>
      [...Deno.readDirSync(`${root}/${team.name}`)].map(({ name }) => `${team.name}/${name}`)
    ).sort();
  }

  /** The digest of what skopeo finds there. */
  async digest(name: string): Promise<string> {
    const inspect = ["skopeo", "inspect", "--creds", CREDS, "--cert-dir", `${this.folder}/certs/${this.registry.host}`];
    return JSON.parse(ok(await run([...inspect, `docker://${this.registry.host}/${name}`]))).Digest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry.close();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Every file of a server that images are made of, and the names they have. Empty folders by which blobs are sorted may stay. */
async function contents(server: Server): Promise<string> {
  const folders = ["blobs", "layers"].map((name) => `${server.folder}/root/${name}`);
  const files = ok(await run(["find", ...folders, "!", "-type", "d"])).split("\n").sort();
  return files.join("\n") + ok(await server.podman("images", "-a", "--no-trunc"));
}

function refused({ code, stdout, stderr }: RunResult, ...words: string[]): void {
  assertEquals([code, stdout], [125, ""]);
  for (const word of words) assertStringIncludes(stderr, word);
}

/** Architectures of a list as `podman manifest inspect` prints it. */
function architectures(text: string): string[] {
  const { manifests } = JSON.parse(text);
  return manifests.map(({ platform }: { platform: { architecture: string } }) => platform.architecture).sort();
}

Deno.test("podman gets into a guarded registry with the caller's credentials in every operation that sends them", async (t) => {
  await using guarded = await Guarded.start();
  const { folder, registry: { host } } = guarded;
  await using server = await guarded.server();
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const good = `--authfile=${folder}/good.json`;
  const bad = `--authfile=${folder}/bad.json`;

  await t.step("a wrong password, or none, is refused in plain words, and nothing stays of it", async () => {
    const before = await contents(server);
    const source = `initializing source docker://${host}/team/bb:1: reading manifest 1 in ${host}/team/bb`;
    for (const creds of [[], [bad], ["--creds", WRONG]]) {
      refused(await server.podman("pull", "-q", ...creds, `${host}/team/bb:1`), source, "authentication required");
    }
    refused(await server.podman("pull", "-q", "-a", bad, `${host}/team/bb`), "tags list: authentication required");
    refused(await server.podman("search", bad, `${host}/team`), `search registry "${host}": authentication required`);
    refused(await server.podman("search", "--list-tags", bad, `${host}/team/bb`), "authentication required");
    refused(await server.podman("manifest", "inspect", `${host}/team/multi:1`), "authentication required");
    refused(
      await server.podman("manifest", "create", "--all", "no", `${host}/team/multi:1`),
      "authentication required",
    );
    assertEquals((await server.podman("image", "exists", `${host}/team/bb:1`)).code, 1);
    assertEquals((await server.podman("manifest", "exists", "no")).code, 1);
    assertEquals(await contents(server), before);
  });

  await t.step("pull and pull -a", async () => {
    assertEquals(await podman("pull", "-q", good, `${host}/team/bb:1`), BUSYBOX.id);
    assertEquals((await server.podman("image", "exists", `${host}/team/bb:2`)).code, 1);
    assertEquals(await podman("pull", "-q", "-a", "--creds", CREDS, `${host}/team/bb`), BUSYBOX.id);
    assertEquals((await server.podman("image", "exists", `${host}/team/bb:2`)).code, 0);
    const [{ Id, RepoTags }] = JSON.parse(await podman("image", "inspect", `${host}/team/bb:2`));
    assertEquals([Id, RepoTags.sort()], [BUSYBOX.id, [`${host}/team/bb:1`, `${host}/team/bb:2`]]);
  });

  await t.step("search, and search --list-tags", async () => {
    const found = await podman("search", good, "--format={{.Name}}", `${host}/team`);
    assertEquals(found.split("\n").sort(), [`${host}/team/bb`, `${host}/team/multi`]);
    const tags = (await podman("search", good, "--list-tags", `${host}/team/bb`)).split("\n").slice(1).sort();
    assertEquals(tags.map((line) => line.split(/ +/)), [[`${host}/team/bb`, "1"], [`${host}/team/bb`, "2"]]);
  });

  await t.step("push, and push to another name", async () => {
    await podman("tag", `${host}/team/bb:1`, `${host}/out/own:1`);
    const before = await contents(server);
    for (const creds of [[], [bad], ["--creds", WRONG]]) {
      const words = [`pushing image "${host}/out/other:1"`, "authentication required"];
      refused(await server.podman("push", "-q", ...creds, `${host}/team/bb:1`, `${host}/out/other:1`), ...words);
      refused(await server.podman("push", "-q", ...creds, `${host}/out/own:1`), "authentication required");
    }
    assertEquals(guarded.repositories(), ["team/bb", "team/multi"]);
    await podman("push", good, `${host}/out/own:1`);
    await podman("push", "--creds", CREDS, `${host}/team/bb:1`, `${host}/out/other:1`);
    assertEquals(await contents(server), before);
    for (const name of ["out/own:1", "out/other:1"]) assertEquals(await guarded.digest(name), BUSYBOX.digest, name);
  });

  await t.step("manifest create, add, push --all and rm", async () => {
    const before = await contents(server);
    const multi = `docker://${host}/team/multi:1`;
    await podman("manifest", "create", "list");
    refused(await server.podman("manifest", "add", bad, "--all", "list", multi), "authentication required");
    refused(await server.podman("manifest", "add", "--creds", WRONG, "list", multi), "authentication required");
    assertEquals(JSON.parse(await podman("manifest", "inspect", "list")).manifests ?? [], []);
    await podman("manifest", "add", good, "list", `docker://${host}/team/bb:2`);
    await podman("manifest", "add", "--creds", CREDS, "--all", "list", multi);
    assertEquals(architectures(await podman("manifest", "inspect", "list")), ["amd64", "arm64"]);
    for (const creds of [[bad], ["--creds", WRONG]]) {
      const push = await server.podman("manifest", "push", "--all", ...creds, "list", `docker://${host}/out/list:1`);
      refused(push, `pushing image "docker://${host}/out/list:1"`, "authentication required");
    }
    assertEquals(guarded.repositories().includes("out/list"), false);
    await podman("manifest", "push", "--all", good, "list", `docker://${host}/out/list:1`);
    await podman("manifest", "push", "--all", "--creds", CREDS, "list", `docker://${host}/out/list:2`);
    assertEquals(await guarded.digest("out/list:1"), await guarded.digest("out/list:2"));
    await podman("manifest", "rm", "list");
    assertEquals(await contents(server), before);
    assertEquals(await podman("pull", "-q", good, `${host}/out/list:1`), BUSYBOX.id);
    assertEquals(await podman("pull", "-q", good, "--arch=arm64", `${host}/out/list:2`), ARM.id);
  });
});

Deno.test("podman gets into a guarded registry with the server's --auth-file in every operation", async () => {
  await using guarded = await Guarded.start();
  const { folder, registry: { host } } = guarded;
  await using server = await guarded.server(`--auth-file=${folder}/good.json`);
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();

  assertEquals(await podman("pull", "-q", `${host}/team/bb:1`), BUSYBOX.id);
  assertEquals(await podman("pull", "-q", "-a", "team/bb"), BUSYBOX.id);
  assertEquals((await server.podman("image", "exists", `${host}/team/bb:2`)).code, 0);
  await podman("push", "-q", `${host}/team/bb:1`);
  await podman("push", "-q", `${host}/team/bb:1`, `${host}/out/bb:1`);
  assertEquals(await guarded.digest("out/bb:1"), BUSYBOX.digest);
  const found = await podman("search", "--format={{.Name}}", `${host}/team`);
  assertEquals(found.split("\n").sort(), [`${host}/team/bb`, `${host}/team/multi`]);
  const [, tag] = (await podman("search", "--list-tags", `${host}/team/multi`)).split("\n");
  assertEquals(tag.split(/ +/), [`${host}/team/multi`, "1"]);

  assertEquals(architectures(await podman("manifest", "inspect", `${host}/team/multi:1`)), ["amd64", "arm64"]);
  assertEquals((await server.podman("image", "exists", `${host}/team/multi:1`)).code, 1);
  await podman("manifest", "create", "--all", "whole", `${host}/team/multi:1`);
  await podman("manifest", "create", "list");
  await podman("manifest", "add", "--all", "list", `docker://${host}/team/multi:1`);
  for (const name of ["whole", "list"]) {
    assertEquals(architectures(await podman("manifest", "inspect", name)), ["amd64", "arm64"], name);
    await podman("manifest", "push", "--all", name, `docker://${host}/out/${name}:1`);
    assertEquals(architectures(await podman("manifest", "inspect", `${host}/out/${name}:1`)), ["amd64", "arm64"], name);
  }
  refused(
    await server.podman("push", "-q", "--creds", WRONG, `${host}/team/bb:1`, `${host}/out/no:1`),
    "authentication required",
  );
  assertEquals(guarded.repositories(), ["out/bb", "out/list", "out/whole", "team/bb", "team/multi"]);
});
