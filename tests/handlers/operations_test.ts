import { assert, assertEquals } from "@std/assert";
import { families } from "../../handlers/engine_handler.ts";
import { artifactsAPI } from "../../handlers/artifacts/api.ts";
import { compatContainersAPI } from "../../handlers/compat/containers/api.ts";
import { compatExecAPI } from "../../handlers/compat/exec/api.ts";
import { compatFilesAPI } from "../../handlers/compat/files/api.ts";
import { compatImagesAPI } from "../../handlers/compat/images/api.ts";
import { compatRegistriesAPI } from "../../handlers/compat/registries/api.ts";
import { compatSecretsAPI } from "../../handlers/compat/secrets/api.ts";
import { compatSystemAPI } from "../../handlers/compat/system/api.ts";
import { containersAPI } from "../../handlers/containers/api.ts";
import { execAPI } from "../../handlers/exec/api.ts";
import { filesAPI } from "../../handlers/files/api.ts";
import { imagesAPI } from "../../handlers/images/api.ts";
import { secretsAPI } from "../../handlers/secrets/api.ts";
import { manifestsAPI } from "../../handlers/manifests/api.ts";
import { systemAPI } from "../../handlers/system/api.ts";
import { Event } from "../../handlers/wire/event.ts";
import { z } from "../../handlers/wire/zod.ts";
import { link } from "../../lib/rest/mod.ts";
import { differences } from "./conforms.ts";
import { CALLS } from "./operation_calls.ts";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "./test_engine.ts";

/** How each operation is called in the test below: method, path, body. `ID` stands for a running container, `EXEC` for a session. */
const CALLS: Record<string, [method: string, path: string, status: number, body?: unknown]> = {
  CreateContainer: ["POST", "/libpod/containers/create", 201, { image: TINY_NAME }],
  ListContainers: ["GET", "/libpod/containers/json?all=true", 200],
  PruneContainers: ["POST", "/libpod/containers/prune", 200],
  GetContainer: ["GET", "/libpod/containers/ID/json?size=true", 200],
  ContainerExists: ["GET", "/libpod/containers/ID/exists", 204],
  InitContainer: ["POST", "/libpod/containers/NEW/init", 204],
  StartContainer: ["POST", "/libpod/containers/NEW/start", 204],
  StopContainer: ["POST", "/libpod/containers/ID/stop?timeout=0", 204],
  RestartContainer: ["POST", "/libpod/containers/ID/restart?timeout=0", 204],
  KillContainer: ["POST", "/libpod/containers/ID/kill?signal=KILL", 204],
  PauseContainer: ["POST", "/libpod/containers/ID/pause", 204],
  UnpauseContainer: ["POST", "/libpod/containers/PAUSED/unpause", 204],
  WaitContainer: ["POST", "/libpod/containers/ID/wait?condition=running", 200],
  RemoveContainer: ["DELETE", "/libpod/containers/ID?force=true", 200],
  LogsFromContainer: ["GET", "/libpod/containers/ID/logs?stdout=true", 200],
  AttachContainer: ["POST", "/libpod/containers/ID/attach?stdout=true", 501],
  AttachWebSocket: ["GET", "/libpod/containers/ID/attach/ws?stdout=true", 400],
  ResizeTTY: ["POST", "/libpod/containers/TTY/resize?h=10&w=20", 200],
  UpdateContainer: ["POST", "/libpod/containers/ID/update", 201, { cpu: { shares: 5 } }],
  StatsContainer: ["GET", "/libpod/containers/stats?stream=false", 200],
  StatsOneContainer: ["GET", "/libpod/containers/ID/stats?stream=false", 200],
  RunHealthCheck: ["GET", "/libpod/containers/ID/healthcheck", 200],
  TopContainer: ["GET", "/libpod/containers/ID/top", 200],
  RenameContainer: ["POST", "/libpod/containers/ID/rename?name=other", 204],
  ExecCreateHandler: ["POST", "/libpod/containers/ID/exec", 201, { Cmd: ["serve"] }],
  ExecStartHandler: ["POST", "/libpod/exec/EXEC/start", 200, { Detach: true }],
  ExecResizeTTY: ["POST", "/libpod/exec/RUNNING/resize?h=10&w=20", 201],
  ExecInspectHandler: ["GET", "/libpod/exec/EXEC/json", 200],
  ExecRemoveHandler: ["POST", "/libpod/exec/EXEC/remove", 200, {}],
  ContainerArchiveHead: ["HEAD", "/libpod/containers/ID/archive?path=/a", 200],
  ContainerArchive: ["GET", "/libpod/containers/ID/archive?path=/a", 200],
  PutContainerArchive: ["PUT", "/libpod/containers/ID/archive?path=/a", 200],
  ContainerChanges: ["GET", "/libpod/containers/ID/changes", 200],
  CommitContainer: ["POST", "/libpod/commit?container=ID&repo=made", 200],
  ExportContainer: ["GET", "/libpod/containers/ID/export", 200],
  MountContainer: ["POST", "/libpod/containers/NEW/mount", 200],
  UnmountContainer: ["POST", "/libpod/containers/NEW/unmount", 204],
  ShowMountedContainers: ["GET", "/libpod/containers/showmounted", 200],
  ImagesPull: ["POST", `/libpod/images/pull?reference=${TINY_NAME}`, 200],
  PushImage: ["POST", `/libpod/images/${TINY_NAME}/push?quiet=false`, 200],
  ExportImages: ["GET", `/libpod/images/export?references=${TINY_NAME}&format=docker-archive`, 200],
  ExportImage: ["GET", `/libpod/images/${TINY_NAME}/get`, 200],
  ImagesLoad: ["POST", "/libpod/images/load", 500],
  ImagesLocalLoad: ["POST", "/libpod/local/images/load?path=/absent", 404],
  ImagesImport: ["POST", "/libpod/images/import?reference=made", 200],
  ImageResolve: ["GET", "/libpod/images/tiny/resolve", 200],
  GetImages: ["GET", "/libpod/images/json", 200],
  SearchImages: ["GET", "/libpod/images/search?term=localhost:5000/tiny", 404],
  PruneImages: ["POST", "/libpod/images/prune?all=true", 200],
  ImageTree: ["GET", `/libpod/images/${TINY_NAME}/tree`, 200],
  Changes: ["GET", `/libpod/images/${TINY_NAME}/changes`, 200],
  ImagesBatchRemove: ["DELETE", `/libpod/images/remove?images=${TINY_NAME}`, 200],
  ImagesRemove: ["DELETE", `/libpod/images/${TINY_NAME}?force=true`, 200],
  GetImage: ["GET", `/libpod/images/${TINY_NAME}/json`, 200],
  ImageExists: ["GET", `/libpod/images/${TINY_NAME}/exists`, 204],
  HistoryImage: ["GET", `/libpod/images/${TINY_NAME}/history`, 200],
  TagImage: ["POST", `/libpod/images/${TINY_NAME}/tag?repo=other&tag=2`, 201],
  UntagImage: ["POST", `/libpod/images/${TINY_NAME}/untag`, 201],
  CreateSecret: ["POST", "/libpod/secrets/create?name=fresh", 200, "value"],
  ListSecrets: ["GET", "/libpod/secrets/json", 200],
  InspectSecret: ["GET", "/libpod/secrets/SECRET/json?showsecret=true", 200],
  SecretExists: ["GET", "/libpod/secrets/SECRET/exists", 204],
  RemoveSecret: ["DELETE", "/libpod/secrets/SECRET", 204],
  ManifestCreate: ["POST", "/v4.0.0/libpod/manifests/new", 201],
  ManifestCreateV3: ["POST", "/v3.4.0/libpod/manifests/create?name=new", 200],
  ManifestExists: ["GET", "/v4.0.0/libpod/manifests/list/exists", 204],
  ManifestInspect: ["GET", "/v4.0.0/libpod/manifests/list/json", 200],
  ManifestModify: ["PUT", "/v4.0.0/libpod/manifests/list", 200, { operation: "update", images: [TINY_NAME] }],
  ManifestDelete: ["DELETE", "/v4.0.0/libpod/manifests/list", 200],
  ManifestPush: ["POST", "/v4.0.0/libpod/manifests/list/registry/localhost:5000%2Fx", 200],
  ManifestAddV3: ["POST", "/v3.4.0/libpod/manifests/list/add", 200, { images: [TINY_NAME] }],
  ManifestRemoveDigestV3: ["DELETE", `/v3.4.0/libpod/manifests/list?digest=${TINY.digest}`, 200],
  ManifestPushV3: ["POST", "/v3.4.0/libpod/manifests/list/push?destination=localhost:5000%2Fx", 200],
  ListArtifact: ["GET", "/libpod/artifacts/json", 200],
  InspectArtifact: ["GET", "/libpod/artifacts/localhost/none:1/json", 404],
  AddArtifact: ["POST", "/libpod/artifacts/add?name=localhost/a:1&fileName=a", 201],
  AddLocalArtifact: ["POST", "/libpod/artifacts/local/add?name=localhost/a:1&fileName=a&path=/absent", 404],
  ExtractArtifact: ["GET", "/libpod/artifacts/localhost/none:1/extract", 404],
  PullArtifact: ["POST", "/libpod/artifacts/pull?name=NO", 400],
  PushArtifact: ["POST", "/libpod/artifacts/localhost/none:1/push", 404],
  BatchRemoveArtifact: ["DELETE", "/libpod/artifacts/remove?all=true", 200],
  RemoveArtifact: ["DELETE", "/libpod/artifacts/localhost/none:1", 404],
  Ping: ["GET", "/libpod/_ping", 200],
  PingHead: ["HEAD", "/libpod/_ping", 200],
  VersionHandler: ["GET", "/libpod/version", 200],
  GetInfo: ["GET", "/libpod/info", 200],
  ServeSwagger: ["GET", "/libpod/swagger", 200],
  GetEvents: ["GET", "/libpod/events?stream=false", 200],
  CompatCreateContainer: ["POST", "/containers/create?name=fresh", 201, { Image: TINY_NAME }],
  CompatListContainers: ["GET", "/containers/json?all=1&size=1", 200],
  CompatPruneContainers: ["POST", "/containers/prune", 200],
  CompatGetContainer: ["GET", "/containers/ID/json", 200],
  CompatStartContainer: ["POST", "/containers/NEW/start", 204],
  CompatStopContainer: ["POST", "/containers/ID/stop?t=0", 204],
  CompatRestartContainer: ["POST", "/containers/ID/restart?t=0", 204],
  CompatKillContainer: ["POST", "/containers/ID/kill", 204],
  CompatPauseContainer: ["POST", "/containers/ID/pause", 204],
  CompatUnpauseContainer: ["POST", "/containers/PAUSED/unpause", 204],
  CompatWaitContainer: ["POST", "/containers/NEW/wait", 200],
  CompatRemoveContainer: ["DELETE", "/containers/ID?force=1", 204],
  CompatLogsFromContainer: ["GET", "/containers/ID/logs?stdout=1", 200],
  CompatAttachContainer: ["POST", "/containers/ID/attach?stdout=1", 501],
  CompatAttachWebSocket: ["GET", "/containers/ID/attach/ws?stdout=1", 400],
  CompatResizeTTY: ["POST", "/containers/TTY/resize?h=10&w=20", 200],
  CompatTopContainer: ["GET", "/containers/ID/top", 200],
  CompatUpdateContainer: ["POST", "/containers/ID/update", 200, { CpuShares: 5 }],
  CompatStatsContainer: ["GET", "/containers/ID/stats?stream=0&one-shot=1", 200],
  CompatRenameContainer: ["POST", "/containers/ID/rename?name=other", 204],
  CompatExecCreateHandler: ["POST", "/containers/ID/exec", 201, { Cmd: ["serve"] }],
  CompatExecStartHandler: ["POST", "/exec/EXEC/start", 200, { Detach: true }],
  CompatExecResizeTTY: ["POST", "/exec/RUNNING/resize?h=10&w=20", 201],
  CompatExecInspectHandler: ["GET", "/exec/EXEC/json", 200],
  CompatContainerArchiveHead: ["HEAD", "/containers/ID/archive?path=/a", 200],
  CompatContainerArchive: ["GET", "/containers/ID/archive?path=/a", 200],
  CompatPutContainerArchive: ["PUT", "/containers/ID/archive?path=/a", 200],
  CompatContainerChanges: ["GET", "/containers/ID/changes", 200],
  CompatCommitContainer: ["POST", "/commit?container=ID&repo=made", 201],
  CompatExportContainer: ["GET", "/containers/ID/export", 200],
  CompatCreateImageFromImage: ["POST", `/images/create?fromImage=${TINY_NAME}`, 200],
  CompatCreateImageFromSrc: ["POST", "/images/create?fromSrc=-&repo=made", 200],
  CompatExportImages: ["GET", `/images/get?names=${TINY_NAME}`, 200],
  CompatExportImage: ["GET", `/images/${TINY_NAME}/get`, 200],
  CompatLoadImages: ["POST", "/images/load", 500],
  CompatPushImage: ["POST", `/images/${TINY_NAME}/push`, 200],
  CompatGetImages: ["GET", "/images/json", 200],
  CompatSearchImages: ["GET", "/images/search?term=localhost:5000/tiny", 404],
  CompatPruneImages: ["POST", "/images/prune", 200],
  CompatRemoveImage: ["DELETE", `/images/${TINY_NAME}?force=1`, 200],
  CompatGetImage: ["GET", `/images/${TINY_NAME}/json`, 200],
  CompatHistoryImage: ["GET", `/images/${TINY_NAME}/history`, 200],
  CompatTagImage: ["POST", `/images/${TINY_NAME}/tag?repo=other`, 201],
  CompatAuth: ["POST", "/auth", 200, { username: "ann", password: "pw", serveraddress: "localhost:5000" }],
  CompatInspectDistribution: ["GET", `/distribution/${TINY_NAME}/json`, 200],
  CompatCreateSecret: ["POST", "/secrets/create", 200, { Name: "fresh", Data: "YQ==" }],
  CompatListSecrets: ["GET", "/secrets", 200],
  CompatInspectSecret: ["GET", "/secrets/SECRET", 200],
  CompatRemoveSecret: ["DELETE", "/secrets/SECRET", 204],
  CompatUpdateSecret: ["POST", "/secrets/SECRET/update", 501],
  CompatPing: ["GET", "/_ping", 200],
  CompatPingHead: ["HEAD", "/_ping", 200],
  CompatVersionHandler: ["GET", "/version", 200],
  CompatGetInfo: ["GET", "/info", 200],
  CompatGetEvents: ["GET", "/events?stream=0", 200],
};

Deno.test("operations() gives every operation of every family", async () => {
  await using test = await openTestEngine({ pulled: false });
  const defined = families(test.engine).flatMap(({ definition }) => Object.keys(definition.operations)).sort();
  assertEquals(Object.keys(test.operations).sort(), defined);
  assertEquals(Object.keys(CALLS).sort(), defined, "the table of this test has them all");
});

for (const [name, [method, path, status, body]] of Object.entries(CALLS)) {
  Deno.test(`operations().${name}() answers alone, and as the router does`, async () => {
    const alone = await answer(name, method, path, body, false);
    assertEquals(alone.status, status, alone.text);
    const routed = await answer(name, method, path, body, true);
    assertEquals([routed.status, routed.type], [alone.status, alone.type]);
    if (alone.schema === undefined || !alone.type?.includes("json")) return;
    if (alone.schema === undefined || status >= 400) return;
    for (const reply of alone.text.trim().split("\n")) {
      assertEquals(differences(alone.schema, JSON.parse(reply)), [], "every key of types.json, and no other");
    }
  });
}

/** Calls one operation on an engine of its own, with a container in every state there is. */
async function answer(name: string, method: string, path: string, body: unknown, routed: boolean) {
  await using test = await openTestEngine();
  const { containers, images, secrets } = test.engine;
  await secrets.create("SECRET", new TextEncoder().encode("value"));
  if (path.includes("/manifests/list")) await images.lists.create("list", { images: [TINY_NAME] });
  // A removal of the image is about the image alone.
  const bare = /Image/.test(name) && method === "DELETE";
  for (const state of bare ? [] : ["NEW", "ID", "PAUSED", "TTY"]) {
    const made = await test.send("POST", "/libpod/containers/create", {
      image: TINY_NAME,
      name: state,
      terminal: state === "TTY",
      healthconfig: state === "ID" ? { Test: ["CMD", "exit", "0"] } : null,
    });
    assertEquals(made.status, 201, await made.text());
    if (state !== "NEW") await containers.start(state);
    if (state === "PAUSED") await containers.pause(state);
  }
  const where = /\/exec\/(EXEC|RUNNING)\//.test(path) ? path.replace(/EXEC|RUNNING/, await session(test, path)) : path;
  const request = new Request(`http://d${where}`, { method, body: body === undefined ? null : JSON.stringify(body) });
  const reply = await (routed ? test.serve : test.operations[name])(request);
  // A wait holds its reply until there is something to say.
  if (name === "CompatWaitContainer") { for (const { id } of containers.list({ all: true })) test.kernel.end(id, 0); }
  const text = await reply.text();
  const { status, headers } = reply;
  return { status, type: headers.get("content-type"), text, schema: resultSchema(name) };
}

/** Makes an exec session, and starts it where the path wants it running. */
async function session({ engine: { containers } }: TestEngine, path: string): Promise<string> {
  const id = await containers.execs.create("ID", {
    command: ["serve"],
    env: [],
    terminal: true,
    privileged: false,
    attachStdin: false,
    attachStdout: true,
    attachStderr: true,
  });
  if (path.includes("RUNNING")) await containers.execs.start(id, { detach: true });
  return id;
}

const OPERATIONS: Record<string, { results: readonly object[] }> = {
  ...artifactsAPI.operations,
  ...containersAPI.operations,
  ...execAPI.operations,
  ...filesAPI.operations,
  ...imagesAPI.operations,
  ...secretsAPI.operations,
  ...systemAPI.operations,
  ...compatContainersAPI.operations,
  ...compatExecAPI.operations,
  ...compatFilesAPI.operations,
  ...compatImagesAPI.operations,
  ...compatRegistriesAPI.operations,
  ...compatSecretsAPI.operations,
  ...manifestsAPI.operations,
  ...compatSystemAPI.operations,
};

/** The schema of an operation's JSON; `undefined` where it answers nothing or bytes. */
function resultSchema(name: string): z.ZodType | undefined {
  const [result] = OPERATIONS[name].results;
  if (/Events$/.test(name)) return Event;
  const schema: unknown = result !== undefined && "item" in result ? result.item : result;
  return schema instanceof z.ZodType ? schema : undefined;
}

Deno.test("the definitions are a typed client", async () => {
  await using test = await openTestEngine();
  const client = link(containersAPI, "http://localhost", { fetch: test.serve });
  const { Id } = await client.CreateContainer({ image: TINY_NAME, name: "made", netns: { nsmode: "none" } });
  const [listed] = await client.ListContainers({ all: true, filters: JSON.stringify({ name: ["made"] }) });
  assertEquals([listed.Id, listed.Names], [Id, ["made"]]);
  assertEquals((await client.GetContainer("made", {})).HostConfig?.NetworkMode, "none");
});

Deno.test("both spellings of the native tree, with and without a version, are one", async () => {
  await using test = await openTestEngine();
  const paths = ["/engine", "/libpod", "/v4.3.1/engine", "/v4.3.1/libpod", "/v6.0.0-dev/libpod"];
  const bodies = new Set<string>();
  for (const path of paths) {
    const reply = await test.send("GET", `${path}/images/${TINY_NAME}/json`);
    assertEquals(reply.status, 200, path);
    bodies.add(await reply.text());
  }
  assertEquals(bodies.size, 1);
  for (const path of ["/v1.44/_ping", "/_ping", "/v1.24/images/json"]) {
    assertEquals((await test.send("GET", path)).status, 200, path);
  }
});

Deno.test("names of images hold slashes, written plainly or escaped", async () => {
  await using test = await openTestEngine();
  for (const name of [TINY_NAME, encodeURIComponent(TINY_NAME), TINY.id, `sha256:${TINY.id}`]) {
    const reply = await test.send("GET", `/libpod/images/${name}/json`);
    assertEquals(reply.status, 200, name);
    assertEquals((await reply.json()).Id, TINY.id);
  }
});

Deno.test("a deployment without a kernel answers 501 with its reason, and the rest for real", async () => {
  await using test = await openTestEngine({ host: false });
  const images = await (await test.send("GET", "/libpod/images/json")).json();
  assertEquals(images.length, 1);
  const create = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME });
  assertEquals([create.status, (await create.json()).message], [501, "there is no kernel here"]);
  const info = await (await test.send("GET", "/libpod/info")).json();
  assert(JSON.stringify(info.host.ociRuntime).includes("there is no kernel here"));
});
