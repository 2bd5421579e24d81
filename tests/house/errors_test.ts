/** The errors of handlers: a wrong request is a `RequestError`, whose status stands in one table. */
import { assertEquals } from "@std/assert";
import { codeOf, sources } from "../fixtures/source_tree.ts";

/** Files that answer in the transport's own words, or with a body of another form. The list only shrinks. */
const TRANSPORT = [
  "handlers/compat/images/push_image.ts",
  "handlers/manifests/modify.ts",
  "handlers/wire/error_model.ts",
];

Deno.test("no handler chooses a status of its own", () => {
  const own = sources.filter((path) => path.startsWith("handlers/") && codeOf(path).includes("new HTTPError("));
  assertEquals(own, TRANSPORT);
});

Deno.test("no handler throws the engine's error for a wrong request", () => {
  const thrown = sources.filter((path) =>
    path.startsWith("handlers/") && /new EngineError\(\s*"(?:invalid|unsupported)"/.test(codeOf(path))
  );
  assertEquals(thrown, []);
});
