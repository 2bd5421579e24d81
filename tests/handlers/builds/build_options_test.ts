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

const REFUSED: readonly [query: Record<string, unknown>, text: string][] = [
  [{ remote: "https://github.com/x/y.git" }, '"remote"'],
  [{ annotations: '["a=b"]' }, '"annotations"'],
  [{ secrets: '["id=x,src=y"]' }, '"secrets"'],
  [{ volume: ["/etc:/etc"] }, '"volume"'],
  [{ manifest: "list" }, '"manifest"'],
  [{ version: "2" }, '"version"'],
  [{ skipunusedstages: "0" }, '"skipunusedstages"'],
  [{ allplatforms: "1" }, '"allplatforms"'],
  [{ layers: "0" }, '"layers"'],
  [{ platform: ["linux/amd64", "linux/arm64"] }, '"platform"'],
  [{ nsoptions: '[{"Name":"pid","Host":true}]' }, '"pid"'],
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
  [{ dockerfile: "[1]" }, '"dockerfile"'],
];

Deno.test("buildOptions() names the parameter that does not parse", async (t) => {
  for (const [query, text] of MALFORMED) {
    await t.step(JSON.stringify(query), () => {
      assertEquals(assertThrows(() => read(query), RequestError, text).code, "malformed");
    });
  }
});
