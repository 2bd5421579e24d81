/** The words of the API's page: everything has some, and the bodies in them work. */
import { assert, assertEquals } from "@std/assert";
import { listDefinitions } from "../../handlers/families.ts";
import { DefaultEngineSwaggerSpec } from "../../handlers/swagger.ts";
import { BODY_EXAMPLES } from "../../handlers/words/body_examples.ts";
import { FIELD_WORDS } from "../../handlers/words/field_words.ts";
import { OPERATION_WORDS } from "../../handlers/words/operation_words.ts";
import { PARAMETER_WORDS } from "../../handlers/words/parameter_words.ts";
import { docsPage, openapi, type OpenAPIDocument } from "../../lib/rest/surfaces.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../fixtures/handlers/test_engine.ts";

const placed = Object.entries(DefaultEngineSwaggerSpec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
);

Deno.test("every operation and every parameter of the API says what it does, and no words are left over", () => {
  const bare = openapi(listDefinitions());
  const silent: string[] = [];
  const unused = new Set([...Object.keys(OPERATION_WORDS), ...Object.keys(PARAMETER_WORDS)]);
  for (const item of Object.values(bare.paths)) {
    for (const { operationId: id, parameters = [] } of Object.values(item)) {
      for (const key of [id, id.replace(/^Compat/, "")]) unused.delete(key);
      for (const { name } of parameters) {
        unused.delete(Object.hasOwn(PARAMETER_WORDS, `${id}.${name}`) ? `${id}.${name}` : name);
      }
    }
  }
  for (const { operation: { operationId: id, description, parameters = [] } } of placed) {
    if (!description) silent.push(id);
    for (const { name, description, schema } of parameters) {
      if (!description && schema?.const === undefined) silent.push(`${id}.${name}`);
    }
  }
  assertEquals([silent, [...unused]], [[], []]);
});

/** Paths of all fields of a body by their operation, with the words that the document has for each. */
function fieldsOf(document: OpenAPIDocument, id: string): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  const read = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref, properties = {}, anyOf = [], items, additionalProperties } = value as Partial<Schema>;
    if ($ref !== undefined) read(document.components.schemas[$ref.split("/").pop()!], path);
    for (const part of [...anyOf, items, additionalProperties]) read(part, path);
    for (const [name, property] of Object.entries(properties)) {
      const place = path === "" ? name : `${path}.${name}`;
      found.set(place, property.description);
      read(property, place);
    }
  };
  const all = Object.values(document.paths).flatMap((item) => Object.values(item));
  const body = all.find(({ operationId }) => operationId === id)?.requestBody;
  read(body?.content["application/json"]?.schema, "");
  return found;
}

interface Schema {
  $ref: string;
  description: string;
  properties: Record<string, Schema>;
  anyOf: Schema[];
  items: Schema;
  additionalProperties: unknown;
}

Deno.test("the words about fields are of fields that exist, and every field of every JSON body has some", () => {
  for (const [id, words] of Object.entries(FIELD_WORDS)) {
    const fields = fieldsOf(DefaultEngineSwaggerSpec, id);
    for (const [path, text] of Object.entries(words)) assertEquals(fields.get(path), text, `${id}: ${path}`);
  }
  let told = 0;
  const silent = placed.flatMap(({ operation: { operationId: id } }) => {
    const fields = [...fieldsOf(DefaultEngineSwaggerSpec, id)];
    told += fields.length;
    return fields.filter(([, text]) => text === undefined).map(([path]) => `${id}: ${path}`);
  });
  assertEquals(silent, []);
  assert(told > 1000, `${told} fields`);
  const { CreateContainerRequest, CompatCreateContainerRequest } = DefaultEngineSwaggerSpec.components.schemas;
  assert(JSON.stringify(CreateContainerRequest).includes("The size of `/dev/shm` in bytes; the default is 65536000."));
  assert(JSON.stringify(CompatCreateContainerRequest).includes("Removes the container when it ends."));
});

Deno.test("the words are sentences, and stand on the page", () => {
  const fields = Object.values(FIELD_WORDS).flatMap((words) => Object.values(words));
  for (const text of [...Object.values(OPERATION_WORDS), ...Object.values(PARAMETER_WORDS), ...fields]) {
    assert(/^[A-Z`'\d].*\.$/s.test(text), text);
  }
  const page = docsPage(DefaultEngineSwaggerSpec);
  assert(page.includes("Lists the containers that run"));
  assert(page.includes("Seconds to end by itself, before it is killed."));
  assert(page.includes("docker.io/library/alpine:latest"), "a form begins with a body that works");
});

/** Operations whose example is of what stands outside of the engine: a cluster. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = { KubeApply: /kubeconfig|cluster/i };

Deno.test("every body of JSON or text has an example, and its operation does what the example says", async () => {
  const bare: string[] = [];
  let tried = 0;
  for (const { path, method, operation: { operationId: id, requestBody } } of placed) {
    const [[type, media] = ["", {}]] = Object.entries(requestBody?.content ?? {});
    if (type === "" || /x-tar/.test(type)) continue;
    if (!("example" in media)) {
      bare.push(id);
      continue;
    }
    tried++;
    await using test = await openTestEngine();
    const place = await prepare(test, id, path.replace(/#.*/, ""));
    const body = typeof media.example === "string" ? media.example : JSON.stringify(media.example);
    const headers = { "content-type": type };
    const request = new Request(`http://d${place}`, { method: method.toUpperCase(), body, headers });
    const response = await test.serve(request, { upgrade: takeNothing });
    const text = await response.text();
    if (Object.hasOwn(ELSEWHERE, id)) assert(ELSEWHERE[id].test(text), `${id}: ${response.status} ${text}`);
    else assert(response.ok && !/"(?:Err|error)":"[^"]/.test(text), `${id} at ${place}: ${response.status} ${text}`);
  }
  assertEquals([bare, tried], [[], Object.keys(BODY_EXAMPLES).length]);
});

/** A connection that is taken over, with nobody at its other end. */
function takeNothing() {
  return { readable: new Blob().stream(), writable: new WritableStream<Uint8Array>(), response: new Response(null) };
}

/** Makes what an example names, and returns the address to send it to. */
async function prepare({ engine, send }: TestEngine, id: string, path: string): Promise<string> {
  const needed = async (method: string, place: string, name: string) => {
    const response = await send(method, place, BODY_EXAMPLES[name], { "content-type": "application/json" });
    assert(response.ok, `${name}: ${await response.clone().text()}`);
    return await response.json() as { Id: string };
  };
  // The one image that is to be pulled before: every example names it, or none.
  await engine.images.tag(TINY_NAME, "docker.io/library/alpine:latest");
  const { version, query = "" } = PLACES[id] ?? {};
  const at = (name: string) => `${version ?? ""}${path.replace(/{[^}]*}/, name)}${query}`;
  const family = /^\/(?:engine\/)?(\w+)/.exec(path)![1];
  if (/create$/.test(path) && family !== "manifests") return at("none");
  if (family === "networks") await needed("POST", "/engine/networks/create", "CreateNetwork");
  if (/^(?:containers|exec|commit|networks)$/.test(family)) {
    const { Id } = await needed("POST", "/engine/containers/create", "CreateContainer");
    await engine.containers.start(Id);
    if (/Disconnect$/.test(id)) await needed("POST", "/engine/networks/backend/connect", "Connect").catch(() => {});
  }
  if (family === "exec") {
    const exec = await needed("POST", "/engine/containers/hello/exec", "ExecCreateHandler");
    return at(exec.Id);
  }
  if (family === "manifests" && !/Create/.test(id)) {
    await engine.images.lists.create("shop", {});
    return at("shop");
  }
  if (family === "secrets") await engine.secrets.create("password", new TextEncoder().encode("s3cret"));
  return at(
    family === "networks" ? "backend" : family === "secrets" ? "password" : family === "manifests" ? "new" : "hello",
  );
}

/** The parameters of an operation's path and query, besides the name. */
const PLACES: Readonly<Record<string, { version?: string; query?: string }>> = {
  CommitContainer: { query: "?container=hello&repo=localhost/made" },
  CompatCommitContainer: { query: "?container=hello&repo=localhost/made" },
  CreateSecret: { query: "?name=password" },
  AddArtifact: { query: "?name=localhost/notes:1&fileName=note.txt" },
  ManifestCreateV3: { version: "/v3.4.0", query: "?name=old" },
  ManifestAddV3: { version: "/v3.4.0" },
  CompatUpdateSecret: { query: "?version=1" },
};
