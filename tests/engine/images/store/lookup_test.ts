import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { openImages, type Rig, seed } from "../../../fixtures/images/rig.ts";

const REGISTRIES = `
unqualified-search-registries = ["quay.io", "docker.io"]
[aliases]
"tool" = "registry.example.com/team/tool"
`;
const HEX = "abcdef0123456789".repeat(4);

async function rigWithImages(): Promise<Rig> {
  const rig = await openImages({ registries: REGISTRIES });
  await seed(rig, "a1", ["docker.io/library/busybox:latest", "localhost/box:1"]);
  await seed(rig, "a2", ["quay.io/team/app:latest"]);
  await seed(rig, "b", ["registry.example.com/team/tool:latest", "docker.io/user/deep/tool:2"]);
  await seed(rig, "cafe", ["docker.io/library/a1:latest"]);
  await seed(rig, "d", []);
  return rig;
}

Deno.test("Images.resolve() finds by name, as Podman completes it", async () => {
  const { images } = await rigWithImages();
  const idOf = (text: string) => images.resolve(text).id.replace(/0+$/, "");
  for (
    const name of ["busybox", "busybox:latest", "library/busybox", "docker.io/busybox", "docker.io/library/busybox"]
  ) {
    assertEquals(idOf(name), "a1", name);
  }
  assertEquals(idOf("box:1"), "a1");
  assertEquals(idOf("localhost/box:1"), "a1");
  assertEquals(idOf("team/app"), "a2");
  assertEquals(idOf("tool"), "b");
  // The end of a repository, when nothing else fits.
  assertEquals(idOf("app"), "a2");
  assertEquals(idOf("deep/tool:2"), "b");
  assertEquals(images.find("busybox").name, "docker.io/library/busybox:latest");
  // A name comes before the beginning of an ID.
  assertEquals(idOf("a1"), "cafe");
});

Deno.test("Images.resolve() finds by ID, prefix and digest", async () => {
  const { images } = await rigWithImages();
  const box = images.resolve("busybox");
  for (const text of [box.id, `sha256:${box.id}`, box.digest, `busybox@${box.digest}`, `busybox:old@${box.digest}`]) {
    assertEquals(images.resolve(text).id, box.id, text);
  }
  assertEquals(images.resolve("a10").id, box.id);
  assertEquals(images.resolve("d").names, []);
});

Deno.test("Images.resolve() says why there is none", async () => {
  const { images } = await rigWithImages();
  const codeOf = (text: string) => assertThrows(() => images.resolve(text), EngineError).code;
  for (const text of ["nothing", "busybox:2", "quay.io/busybox", "ox", HEX, `sha256:${HEX}`, `app@sha256:${HEX}`]) {
    const error = assertThrows(() => images.resolve(text), EngineError, `${text}: image not known`);
    assertEquals([error.code, error.sentinel], ["no_such_image", "image not known"]);
    assertEquals(images.exists(text), false);
  }
  assertEquals(codeOf("a"), "ambiguous");
  for (const text of ["", "UPPER", "a b", "-x", "x:y:z", "sha256:abc", "a@sha256:abc", "../x"]) {
    assertEquals(codeOf(text), "invalid", text);
  }
});

Deno.test("Images.tag() gives names and takes them from others", async () => {
  const rig = await rigWithImages();
  const { images, core } = rig;
  await images.tag("busybox", "mine");
  await images.tag("busybox", "quay.io/x/y", "v1");
  await images.tag("d", "busybox", "latest");
  await images.tag("d", "docker.io/busybox");
  const [box, dangling] = [images.resolve("mine"), images.resolve("d")];
  assertEquals(box.names, ["quay.io/x/y:v1", "localhost/mine:latest", "localhost/box:1"]);
  assertEquals(box.history, ["docker.io/library/busybox:latest"]);
  assertEquals(dangling.names, ["docker.io/library/busybox:latest", "localhost/busybox:latest"]);
  await images.tag("mine", "docker.io/busybox");
  assertEquals([images.resolve("mine").history, images.resolve("d").history.length], [[], 1]);
  const events = await Array.fromAsync(core.events.list({ follow: false }));
  assertEquals(events.map(({ action, name }) => `${action} ${name}`), [
    "tag localhost/mine:latest",
    "tag quay.io/x/y:v1",
    "tag localhost/busybox:latest",
    "tag docker.io/library/busybox:latest",
    "tag docker.io/library/busybox:latest",
  ]);
  const codeOf = async (repository: string, tag?: string) => {
    try {
      await images.tag("mine", repository, tag);
    } catch (error) {
      return error instanceof EngineError ? error.code : error;
    }
  };
  assertEquals(await codeOf("UPPER"), "invalid");
  assertEquals(await codeOf("x", "a/b"), "invalid");
  assertEquals(await codeOf(`x@sha256:${HEX}`), "invalid");
});

Deno.test("Images.untag() takes one name, or all", async () => {
  const { images } = await rigWithImages();
  const { id } = images.resolve("busybox");
  await images.untag("busybox", ["box:1"]);
  assertEquals(images.resolve(id).names, ["docker.io/library/busybox:latest"]);
  await images.untag("busybox", ["busybox"]);
  assertEquals(images.resolve(id).names, []);
  await images.untag("tool");
  assertEquals(images.resolve("b").history.length, 2);
  const error = await images.untag("cafe", ["nope"]).catch((error) => error);
  assertEquals(error.sentinel, "tag not known");
});
