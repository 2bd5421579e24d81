/** The words of the API's page: everything has some, and the bodies in them work. */
import { assert, assertEquals } from "@std/assert";
import { listDefinitions } from "../../handlers/families.ts";
import { DefaultEngineSwaggerSpec } from "../../handlers/swagger.ts";
import { BODY_EXAMPLES } from "../../handlers/words/body_examples.ts";
import { OPERATION_WORDS } from "../../handlers/words/operation_words.ts";
import { PARAMETER_WORDS } from "../../handlers/words/parameter_words.ts";
import { docsPage, openapi } from "../../lib/rest/surfaces.ts";
import { openTestEngine } from "../fixtures/handlers/test_engine.ts";

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

Deno.test("the words are sentences, and stand on the page", () => {
  for (const text of [...Object.values(OPERATION_WORDS), ...Object.values(PARAMETER_WORDS)]) {
    assert(/^[A-Z`'\d].*\.$/s.test(text), text);
  }
  const page = docsPage(DefaultEngineSwaggerSpec);
  assert(page.includes("Lists the containers that run"));
  assert(page.includes("Seconds to end by itself, before it is killed."));
  assert(page.includes("docker.io/library/alpine:latest"), "a form begins with a body that works");
});

Deno.test("each body in the words is one that its operation takes", async () => {
  await using test = await openTestEngine();
  const found = placed.filter(({ operation: { operationId } }) => Object.hasOwn(BODY_EXAMPLES, operationId));
  assertEquals(found.length, Object.keys(BODY_EXAMPLES).length, "an example is of no operation");
  for (const { path, method, operation: { operationId: id } } of found) {
    // A commit names its container in the query.
    const place = path.replace(/#.*/, "").replaceAll(/{[^}]*}/g, "hello") +
      (path.endsWith("/commit") ? "?container=hello" : "");
    const headers = { "content-type": "application/json" };
    const response = await test.send(method.toUpperCase(), place, BODY_EXAMPLES[id], headers);
    const text = await response.text();
    // Some name what is not here, what the other tree's example has made, or a registry that is none.
    const isMissing = response.status === 404 || response.status === 409 ||
      /registry\.example\.com|not found|not known/i.test(text);
    assert(response.ok || isMissing, `${id}: ${response.status} ${text}`);
  }
});
