import { assert, assertEquals } from "@std/assert";
import { implementFamilies } from "../../handlers/engine_handler.ts";
import { FAMILIES } from "../../handlers/families.ts";
import { containersAPI } from "../../handlers/containers/api.ts";
import { ContainerWaitOKBody } from "../../handlers/wire/compat/container.ts";
import { CheckpointReport } from "../../handlers/wire/containers/checkpoint.ts";
import { ContainerStatsReport } from "../../handlers/wire/containers/stats.ts";
import { ErrorModel } from "../../handlers/wire/error_model.ts";
import { Change } from "../../handlers/wire/files/file.ts";
import { METRICS_TYPE } from "../../handlers/wire/monitor/open_metrics.ts";
import { Event } from "../../handlers/wire/system/event.ts";
import { z } from "../../handlers/wire/zod.ts";
import { link } from "../../lib/rest/mod.ts";
import { differences } from "../fixtures/handlers/conforms.ts";
import { CALLS } from "../fixtures/handlers/operation_calls.ts";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "../fixtures/handlers/test_engine.ts";

Deno.test("operations() gives every operation of every family", async () => {
  await using test = await openTestEngine({ pulled: false });
  const defined = implementFamilies(test.engine).flatMap(({ definition }) => Object.keys(definition.operations)).sort();
  assertEquals(Object.keys(test.operations).sort(), defined);
  assertEquals(Object.keys(CALLS).sort(), defined, "the table of this test has them all");
});

for (const [name, [method, path, status, body]] of Object.entries(CALLS)) {
  Deno.test(`operations().${name}() answers alone, and as the router does`, async () => {
    const alone = await answer(name, method, path, body, false);
    assertEquals(alone.status, status, alone.text);
    const routed = await answer(name, method, path, body, true);
    assertEquals([routed.status, routed.type], [alone.status, alone.type]);
    const schema = status >= 400 ? ErrorModel : resultSchema(name);
    if (schema instanceof z.ZodString) return assertEquals([alone.type, alone.text !== ""], [TEXT, true]);
    if (schema === undefined) {
      const type = BYTES[name] ?? null;
      return assertEquals(
        [alone.type, type === null && alone.text !== ""],
        [type, false],
        "bytes of a type, or nothing",
      );
    }
    assertEquals(alone.type, "application/json");
    for (const reply of alone.text.trim().split("\n")) {
      assertEquals(differences(schema, JSON.parse(reply)), [], "every key of types.json, and no other");
    }
  });
}

/** Calls one operation on an engine of its own, with a container in every state there is. */
async function answer(name: string, method: string, path: string, body: unknown, routed: boolean) {
  await using test = await openTestEngine();
  const { containers, images, secrets } = test.engine;
  await test.engine.networks.create({ name: "NET", dns: true });
  await secrets.create("SECRET", new TextEncoder().encode("value"));
  await test.engine.volumes.create({ name: "VOLUME" });
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
  if (path.includes("/pods/")) {
    for (const pod of ["NEWPOD", "POD"]) await test.engine.pods.create({ name: pod });
    await test.engine.pods.start("POD");
  }
  const where = /\/exec\/(EXEC|RUNNING)\//.test(path) ? path.replace(/EXEC|RUNNING/, await session(test, path)) : path;
  const request = new Request(`http://d${where}`, { method, body: requestBody(body) });
  const reply = await (routed ? test.serve : test.operations[name])(request);
  // A wait holds its reply until there is something to say.
  if (name === "CompatWaitContainer") { for (const { id } of containers.list({ all: true })) test.kernel.end(id, 0); }
  const text = await reply.text();
  return { status: reply.status, type: reply.headers.get("content-type"), text };
}

function requestBody(body: unknown): BodyInit | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body.slice() : JSON.stringify(body);
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

const OPERATIONS: Record<string, { results: readonly object[] }> = Object.assign(
  {},
  ...FAMILIES.map(({ definition }) => definition.operations),
);

const TEXT = "text/plain;charset=UTF-8";

/** Schemas of JSON whose bytes the operation writes itself, or whose 64-bit numbers need a codec. */
const WRITTEN: Record<string, z.ZodType> = {
  Changes: z.array(Change),
  Checkpoint: CheckpointReport,
  CompatContainerChanges: z.array(Change),
  CompatGetEvents: Event,
  CompatWaitContainer: ContainerWaitOKBody,
  ContainerChanges: z.array(Change),
  GetEvents: Event,
  StatsContainer: ContainerStatsReport,
};

/** Operations that return something else than JSON, with its media type. */
const BYTES: Record<string, string> = {
  CheckHealth: "text/plain",
  CompatConnect: "text/plain; charset=us-ascii",
  CompatContainerArchive: "application/x-tar",
  CompatDisconnect: "text/plain; charset=us-ascii",
  CompatExportContainer: "application/x-tar",
  CompatExportImage: "application/octet; charset=us-ascii",
  CompatExportImages: "application/octet; charset=us-ascii",
  CompatLogsFromContainer: "application/vnd.docker.multiplexed-stream",
  CompatPing: "text/plain",
  Connect: "text/plain; charset=us-ascii",
  ContainerArchive: "application/x-tar",
  Disconnect: "text/plain; charset=us-ascii",
  ExportContainer: "application/x-tar",
  ExportImage: "application/octet; charset=us-ascii",
  ExportImages: "application/octet; charset=us-ascii",
  ExportVolume: "application/x-tar",
  GenerateKube: "application/x-tar",
  KubeApply: "text/plain; charset=us-ascii",
  KubeGenerate: "application/x-tar",
  LogsFromContainer: "application/vnd.docker.multiplexed-stream",
  Ping: "text/plain",
  ReadMetrics: METRICS_TYPE,
  // The OpenAPI document, written as JSON, which is YAML too.
  ServeSwagger: "text/yaml",
  WaitContainer: "text/plain",
};

/** The schema of an operation's JSON or text; `undefined` where it answers nothing or bytes. */
function resultSchema(name: string): z.ZodType | undefined {
  const [result] = OPERATIONS[name].results;
  const schema: unknown = WRITTEN[name] ?? (result !== undefined && "item" in result ? result.item : result);
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
