import { assertEquals } from "@std/assert";
import { dockerName, localName } from "../../../handlers/compat/images/docker_name.ts";
import { isBefore } from "../../../handlers/path_version.ts";
import { openTestEngine, TINY, TINY_NAME } from "../test_engine.ts";

Deno.test("dockerName() is what Docker means by a name", () => {
  const rows: [name: string, full: string][] = [
    ["alpine", "docker.io/library/alpine"],
    ["alpine:3", "docker.io/library/alpine:3"],
    ["team/app", "docker.io/team/app"],
    ["quay.io/team/app:1", "quay.io/team/app:1"],
    ["localhost:5000/app", "localhost:5000/app"],
    [TINY.id, TINY.id],
    ["Not A Name", "Not A Name"],
  ];
  for (const [name, full] of rows) assertEquals(dockerName(name), full);
});

Deno.test("localName() prefers Docker's meaning and falls back to the engine's", async () => {
  await using test = await openTestEngine();
  await test.engine.images.tag(TINY_NAME, "localhost/app", "latest");
  assertEquals(localName(test.engine, "app"), "app");
  await test.engine.images.tag(TINY_NAME, "docker.io/library/app", "latest");
  assertEquals(localName(test.engine, "app"), "docker.io/library/app");
  assertEquals(localName(test.engine, TINY.id.slice(0, 12)), TINY.id.slice(0, 12));
});

Deno.test("isBefore() compares versions of the compat tree", () => {
  const rows: [version: string | undefined, before: boolean][] = [
    [undefined, false],
    ["1.24", true],
    ["1.43", true],
    ["1.44", false],
    ["1.100", false],
    ["2", false],
  ];
  for (const [version, before] of rows) assertEquals(isBefore(version, 1, 44), before, version);
});

Deno.test("images of Docker's tree lose fields with the versions that dropped them", async () => {
  await using test = await openTestEngine();
  const rows: [version: string, virtual: boolean, config: boolean][] = [
    ["/v1.43", true, true],
    ["/v1.44", false, true],
    ["/v1.45", false, false],
    ["", false, false],
  ];
  for (const [version, virtual, config] of rows) {
    const image = await (await test.send("GET", `${version}/images/${TINY.id}/json`)).json();
    const [listed] = await (await test.send("GET", `${version}/images/json`)).json();
    const found = ["VirtualSize" in image, "VirtualSize" in listed, "ContainerConfig" in image];
    assertEquals(found, [virtual, virtual, config], version);
  }
});
