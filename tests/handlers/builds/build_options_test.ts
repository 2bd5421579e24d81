import { assertEquals, assertThrows } from "@std/assert";
import { buildOptions } from "../../../handlers/builds/build_options.ts";
import { RequestError } from "../../../handlers/request_error.ts";
import { BuildQuery, CompatBuildQuery } from "../../../handlers/wire/builds/build.ts";

const read = (query: Record<string, unknown>) => buildOptions(BuildQuery.parse(query));

Deno.test("buildOptions() reads what podman sends where nobody asked for anything", () => {
  const options = read({
    dockerfile: '["Containerfile"]',
    networkmode: "0",
    outputformat: "application/vnd.oci.image.manifest.v1+json",
    platform: ["/"],
    pullpolicy: "missing",
    idmappingoptions: '{"HostUIDMapping":true,"HostGIDMapping":true,"UIDMap":[],"GIDMap":[]}',
    nsoptions: '[{"Name":"user","Host":true,"Path":""}]',
    layers: "1",
    identitylabel: "1",
    omithistory: "0",
    skipunusedstages: "1",
    isolation: "0",
    jobs: 1,
    t: ["app", "app", ""],
  });
  assertEquals([options.dockerfiles, options.names, options.format, options.pull, options.platform], [
    ["Containerfile"],
    ["app"],
    "oci",
    "missing",
    undefined,
  ]);
});

Deno.test("buildOptions() reads one platform or several, each once, in either spelling", () => {
  const [amd64, arm] = [{ os: "linux", architecture: "amd64" }, { os: "linux", architecture: "arm", variant: "v7" }];
  const rows: [platform: string[], one: unknown, several: unknown][] = [
    [["linux/arm/v7"], arm, undefined],
    [["linux/amd64,linux/arm/v7"], undefined, [amd64, arm]],
    [["Linux/AMD64", "linux/arm/v7", "linux/amd64"], undefined, [amd64, arm]],
    [["linux/amd64", "linux/amd64"], amd64, undefined],
    [["arm64"], { architecture: "arm64" }, undefined],
    [["linux"], { os: "linux" }, undefined],
  ];
  for (const [platform, one, several] of rows) {
    const options = read({ platform });
    assertEquals([options.platform, options.platforms], [one, several], platform.join(" "));
  }
  for (const platform of ["test", "linux/a/b/c", "linux/ä"]) {
    assertThrows(() => read({ platform: ["linux/amd64", platform] }), Error, `"${platform}"`);
  }
});

Deno.test("buildOptions() reads what Docker sends", () => {
  const options = buildOptions(CompatBuildQuery.parse({
    buildargs: '{"A":"1","B":null}',
    labels: '{"k":"v"}',
    cachefrom: "[]",
    memory: 64 << 20,
    ulimits: '[{"Name":"nofile","Soft":5,"Hard":6}]',
    extrahosts: ["one:1.2.3.4", "two:5.6.7.8"],
    networkmode: "none",
    version: "1",
    rm: "1",
    dockerfile: "./deploy/Dockerfile",
    platform: ["linux/arm64"],
  }));
  assertEquals(options.buildArgs, { A: "1" });
  assertEquals(options.labels, { k: "v" });
  assertEquals(options.dockerfiles, ["deploy/Dockerfile"]);
  assertEquals(options.platform, { os: "linux", architecture: "arm64" });
  const { sandbox } = options;
  assertEquals(sandbox?.resources?.memory, { limit: 64 << 20 });
  assertEquals(sandbox?.rlimits, [{ type: "RLIMIT_NOFILE", soft: 5n, hard: 6n }]);
  assertEquals([sandbox?.hosts, sandbox?.network], [["one:1.2.3.4", "two:5.6.7.8"], { mode: "none" }]);
});

Deno.test("buildOptions() reads contexts, secrets and what the image is to have besides its instructions", () => {
  const options = read({
    remote: "https://host/x.git#main",
    additionalbuildcontexts: ["a=image:busybox", "b=url:https://host/b.tar", '{"c":{"IsImage":true,"Value":"alpine"}}'],
    secrets: '["id=x,src=podman-build-secret1","src=y"]',
    annotations: '["a=b=c"]',
    setenv: ["A=1", "B"],
    unsetenv: ["C"],
    inheritlabels: "0",
    omithistory: "1",
    osversion: "7",
    manifest: "list",
    timestamp: 5,
    cachettl: "2h",
    jobs: 3,
    volume: ["/a:/b:ro", "named:/c"],
    devices: '["/dev/fuse"]',
    groupadd: ["7"],
    apparmor: "unconfined",
  });
  assertEquals(options.remote, "https://host/x.git#main");
  assertEquals(options.contexts, {
    a: { kind: "image", name: "busybox" },
    b: { kind: "url", url: "https://host/b.tar" },
    c: { kind: "image", name: "alpine" },
  });
  assertEquals(options.secretFiles, { x: "podman-build-secret1", y: "y" });
  assertEquals([options.annotations, options.env, options.unsetEnv], [{ a: "b=c" }, { A: "1" }, ["C"]]);
  assertEquals([options.dropLabels, options.omitHistory, options.osVersion, options.manifest], [
    true,
    true,
    "7",
    "list",
  ]);
  assertEquals([options.timestamp, options.rewriteTimes, options.cacheTTL, options.jobs], [5, "all", 7_200_000, 3]);
  const { mounts = [], devices, groups, apparmor } = options.sandbox ?? {};
  assertEquals(mounts.map(({ type, destination }) => [type, destination]), [["bind", "/b"], ["volume", "/c"]]);
  assertEquals([devices?.[0].source, groups, apparmor], ["/dev/fuse", ["7"], "unconfined"]);
  const later = read({ sourcedateepoch: 6, rewritetimestamp: "1" });
  assertEquals([later.timestamp, later.rewriteTimes], [6, "later"]);
  assertEquals(read({ sourcedateepoch: 6 }).rewriteTimes, undefined);
  assertEquals(buildOptions(BuildQuery.parse({ additionalbuildcontexts: ["l=localpath:/x"] }), true).contexts, {
    l: { kind: "folder", path: "/x" },
  });
});

Deno.test("buildOptions() reads the namespaces that commands share", () => {
  const option = (Name: string, Host: boolean, Path = "") => ({ Name, Host, Path });
  const given = [option("user", true), option("pid", true), option("ipc", false), option("uts", false, "/run/uts")];
  const { sandbox } = read({ nsoptions: JSON.stringify(given) });
  assertEquals(sandbox?.namespaces, { pid: { mode: "host" }, uts: { mode: "path", value: "/run/uts" } });
  assertEquals(read({ nsoptions: JSON.stringify([option("network", true)]) }).sandbox?.namespaces, undefined);
});

const REFUSED: readonly [query: Record<string, unknown>, text: string][] = [
  [{ outputs: '[{"Type":"tar"}]' }, '"outputs"'],
  [{ sourcePolicy: "{}x" }, '"sourcePolicy"'],
  [{ "sbom-output": "/x" }, '"sbom-output"'],
  [{ layerLabel: ["a=b"] }, '"layerLabel"'],
  [{ additionalbuildcontexts: ['{"a":{"IsURL":false,"IsImage":false,"Value":"/x"}}'] }, '"additionalbuildcontexts"'],
  [{ version: "2" }, '"version"'],
  [{ skipunusedstages: "0" }, '"skipunusedstages"'],
  [{ allplatforms: "1" }, '"allplatforms"'],
  [{ layers: "0" }, '"layers"'],
  [{ nsoptions: '[{"Name":"mount","Host":true}]' }, '"mount"'],
  [{ nsoptions: '[{"Name":"network","Path":"/proc/1/ns/net"}]' }, '"network"'],
  [{ idmappingoptions: '{"HostUIDMapping":false,"UIDMap":[{"container_id":0}]}' }, '"idmappingoptions"'],
  [{ securityopt: ["seccomp=x"] }, '"seccomp=x"'],
];

Deno.test("buildOptions() refuses by name what no image is built with", async (t) => {
  for (const [query, text] of REFUSED) {
    await t.step(JSON.stringify(query), () => {
      assertEquals(assertThrows(() => read(query), RequestError, text).code, "unsupported");
    });
  }
});

const MALFORMED: readonly [query: Record<string, unknown>, text: string][] = [
  [{ buildargs: "{" }, '"buildargs"'],
  [{ buildargs: "[1]" }, '"buildargs"'],
  [{ labels: '{"a":1}' }, '"labels"'],
  [{ ulimits: '["nofile"]' }, '"ulimits"'],
  [{ pullpolicy: "sometimes" }, '"pullpolicy"'],
  [{ outputformat: "tar" }, '"outputformat"'],
  [{ nsoptions: "{" }, '"nsoptions"'],
  [{ nsoptions: "[1]" }, '"nsoptions"'],
  [{ dockerfile: "[1]" }, '"dockerfile"'],
  [{ additionalbuildcontexts: ["a"] }, '"additionalbuildcontexts"'],
  [{ additionalbuildcontexts: ["a=localpath:/etc"] }, '"additionalbuildcontexts"'],
  [{ secrets: '["id=x"]' }, '"secrets"'],
  [{ secrets: "{" }, '"secrets"'],
];

Deno.test("buildOptions() names the parameter that does not parse", async (t) => {
  for (const [query, text] of MALFORMED) {
    await t.step(JSON.stringify(query), () => {
      assertEquals(assertThrows(() => read(query), RequestError, text).code, "malformed");
    });
  }
});

Deno.test("buildOptions() reads caches as JSON lists and names, and refuses tags where steps are kept", () => {
  const list = read({ cachefrom: '["a/b:1","c"]', cacheto: '["localhost:5000/cache"]' });
  assertEquals(list.cacheFrom, ["a/b:1", "c"]);
  assertEquals(list.cacheTo, [{ name: "localhost:5000/cache", all: true }]);
  assertEquals(read({ cachefrom: "a/b", cacheto: "null" }).cacheFrom, ["a/b"]);
  const rows: [query: Record<string, string>, text: string][] = [
    [{ cacheto: '["a/cache:tag"]' }, '"a/cache:tag": repository must contain neither a tag nor digest'],
    [{ cacheto: '["a/cache@sha256:12"]' }, "repository must contain neither a tag nor digest"],
    [{ cachefrom: "[1]" }, '"cachefrom": it is not a JSON list of texts'],
  ];
  for (const [query, text] of rows) {
    assertEquals(assertThrows(() => read(query), RequestError, text).code, "malformed");
  }
});
