import { assertEquals } from "@std/assert";
import { imageInspect } from "../../../handlers/compat/images/inspect.ts";
import { dockerName, localName } from "../../../handlers/compat/images/docker_name.ts";
import { isBefore } from "../../../handlers/path_version.ts";
import { emptyRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { openTestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

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
  for (const [name, full] of rows) {
    assertEquals(dockerName({ dockerHub: true }, name), full);
    assertEquals(dockerName({ dockerHub: false }, name), name);
  }
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

Deno.test("CompatTagImage gives a name without registry to Docker Hub", async () => {
  await using test = await openTestEngine();
  const tag = async (query: string) => (await test.send("POST", `/images/${TINY_NAME}/tag?${query}`)).status;
  assertEquals([await tag("repo=foo"), await tag("repo=team/app&tag=2"), await tag("tag=x")], [201, 201, 400]);
  const names = test.engine.images.resolve(TINY_NAME).names;
  assertEquals(names.toSorted(), ["docker.io/library/foo:latest", "docker.io/team/app:2", TINY_NAME]);
});

Deno.test("CompatCreateImageFromImage fails with a registry's own words and status", async () => {
  await using test = await openTestEngine({ pulled: false });
  const create = async (name: string) => {
    const response = await test.send("POST", `/images/create?fromImage=localhost:5000/${name}`);
    return [response.status, (await response.json()).message];
  };
  assertEquals(await create("team/tiny:9"), [404, "manifest unknown: manifest unknown"]);
  assertEquals(await create("secret/x:1"), [401, "unauthorized: authentication required"]);
});

Deno.test("CompatCreateImageFromImage pulls all tags of a name without one, and latest in Podman's versions", async () => {
  await using test = await openTestEngine({ pulled: false });
  const pull = async (version: string) => {
    const response = await test.send("POST", `${version}/images/create?fromImage=localhost:5000/team/tiny`);
    const told = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
    return [response.status, told[0].status ?? told[0].message, told.at(-1).status];
  };
  const name = "localhost:5000/team/tiny";
  assertEquals(await pull("/v1.41"), [404, "manifest unknown: manifest unknown", undefined]);
  assertEquals(await pull("/v1.44"), [200, `Pulling from ${name}`, `Status: Downloaded newer image for ${name}`]);
  assertEquals(test.engine.images.namesIn(name), [`${name}:1`]);
  assertEquals(await pull(""), [200, `Pulling from ${name}`, `Status: Image is up to date for ${name}`]);
});

Deno.test("CompatSearchImages has Docker's fields besides those of Podman's report", async () => {
  await using test = await openTestEngine();
  const [found] = await (await test.send("GET", "/images/search?term=localhost:5000/popular")).json();
  const own = { name: "localhost:5000/team/popular", description: "small", star_count: 7 };
  const report = { Index: "localhost:5000", Name: own.name, Description: "small", Stars: 7, Official: "[OK]" };
  assertEquals(found, { ...report, Automated: "", Tag: "", ...own, is_official: true, is_automated: false });
});

Deno.test("an image that is not there is one in Docker's words, and in Podman's as the cause", async () => {
  await using test = await openTestEngine({ pulled: false });
  const { message, cause } = await (await test.send("GET", "/images/nothing/json")).json();
  assertEquals([message, cause], ["failed to find image nothing: nothing: No such image", "image not known"]);
});

Deno.test("short names of Docker's tree are Docker Hub's, or with dockerHub: false those of the native tree", async () => {
  const registries = { ...emptyRegistriesConf(), unqualifiedSearch: ["localhost:5000"] };
  const rows: [dockerHub: boolean | undefined, pulled: string, own: string][] = [
    [undefined, "docker.io/team/tiny", "docker.io/library"],
    [true, "docker.io/team/tiny", "docker.io/library"],
    [false, "localhost:5000/team/tiny", "localhost"],
  ];
  for (const [dockerHub, pulled, own] of rows) {
    await using test = await openTestEngine({ dockerHub, registries, pulled: false });
    const { engine, send } = test;
    await (await send("POST", "/images/create?fromImage=team/tiny&tag=1")).text();
    assertEquals(engine.images.list().flatMap(({ names }) => names), [`${pulled}:1`]);
    for (const tag of ["1", "2"]) await send("POST", `/images/team/tiny:1/tag?repo=foo&tag=${tag}`);
    const names = engine.images.resolve(`${pulled}:1`).names.toSorted();
    assertEquals(names, [`${pulled}:1`, `${own}/foo:1`, `${own}/foo:2`].sort());
    // Without a tag, all of the repository go.
    assertEquals(engine.images.namesIn("foo"), [`${own}/foo:1`, `${own}/foo:2`]);
    assertEquals((await send("DELETE", "/images/foo:2")).status, 200);
    assertEquals(engine.images.exists(`${own}/foo:2`), false);
  }
});

Deno.test("CompatGetImage() says since when an image has its name", async () => {
  await using test = await openTestEngine();
  const tagged = async () => (await (await test.send("GET", `/images/${TINY.id}/json`)).json()).Metadata.LastTagTime;
  assertEquals(await tagged(), test.engine.images.resolve(TINY.id).pulledAt);
  await test.engine.images.untag(TINY.id);
  assertEquals(await tagged(), "0001-01-01T00:00:00Z");
});

Deno.test("imageInspect() tells an image's health check", async () => {
  await using test = await openTestEngine();
  const image = test.engine.images.resolve(TINY.id);
  const Healthcheck = { Test: ["CMD", "true"], Interval: 5_000_000_000 };
  const checked = { ...image, config: { ...image.config, config: { ...image.config.config, Healthcheck } } };
  assertEquals(imageInspect({ dockerHub: true }, checked, "1.50").Config?.Healthcheck, Healthcheck);
  assertEquals(imageInspect({ dockerHub: true }, image, "1.50").Config?.Healthcheck, undefined);
});

Deno.test("Docker's tree shows names of Docker Hub as its clients mean them, and in Podman's versions as Podman's service", async () => {
  await using test = await openTestEngine();
  const hub = ["docker.io/library/app:1", "docker.io/team/app:2", "docker.io/host.example/app:3"];
  for (const name of hub) await test.engine.images.tag(TINY_NAME, name);
  const short = ["app:1", "docker.io/host.example/app:3", TINY_NAME, "team/app:2"];
  const full = [...hub, TINY_NAME].sort();
  const digest = TINY.digest;
  for (const [version, names] of [["/v1.50", short], ["", short], ["/v1.41", full]] as const) {
    const image = await (await test.send("GET", `${version}/images/app:1/json`)).json();
    const [listed] = await (await test.send("GET", `${version}/images/json`)).json();
    const [step] = await (await test.send("GET", `${version}/images/app:1/history`)).json();
    for (const { RepoTags } of [image, listed]) assertEquals(RepoTags.sort(), names, version);
    assertEquals(step?.Tags.sort() ?? names, names, version);
    const isShort = names === short;
    assertEquals(image.RepoDigests.includes(`${isShort ? "app" : "docker.io/library/app"}@${digest}`), true, version);
    for (const name of names) {
      assertEquals((await test.send("GET", `${version}/images/${name}/json`)).status, 200, name);
    }
  }
  const archive = await (await test.send("GET", "/images/get?names=app:1&names=team/app:2")).arrayBuffer();
  const load = async (version: string, body = archive) => {
    const headers = { "content-type": "application/x-tar" };
    const request = new Request(`http://d${version}/images/load`, { method: "POST", body, headers });
    const lines = (await (await test.serve(request)).text()).trim().split("\n");
    return lines.map((line) => JSON.parse(line).stream);
  };
  assertEquals(
    await load("/v1.50"),
    ["Loaded image: app:1\n", "Loaded image: team/app:2\n"],
    "docker-py reads one of each",
  );
  assertEquals(await load("/v1.41"), ["Loaded image: docker.io/library/app:1,docker.io/team/app:2\n"]);
  const { Id } = await (await test.send("GET", "/images/app:1/json")).json();
  const nameless = await (await test.send("GET", `/images/get?names=${Id.slice(7)}`)).arrayBuffer();
  assertEquals(await load("/v1.50", nameless), [`Loaded image ID: ${Id}\n`]);
  assertEquals(await load("/v1.41", nameless), [`Loaded image: ${Id}\n`]);
  const untagged = await (await test.send("DELETE", "/v1.50/images/app:1")).json();
  assertEquals(untagged, [{ Untagged: "app:1" }]);
  const events = await (await test.send("GET", `/v1.50/events?stream=false&since=0&filters={"type":["image"]}`)).text();
  const told = events.trim().split("\n").map((line) => JSON.parse(line).Actor.Attributes.name);
  assertEquals([told.includes("app:1"), told.includes("docker.io/library/app:1")], [true, false]);
});

Deno.test("Docker's tree of an engine that knows no Docker Hub shows full names", async () => {
  await using test = await openTestEngine({ dockerHub: false });
  await test.engine.images.tag(TINY_NAME, "docker.io/library/app:1");
  const [{ RepoTags }] = await (await test.send("GET", "/v1.50/images/json")).json();
  assertEquals(RepoTags.includes("docker.io/library/app:1"), true);
});
