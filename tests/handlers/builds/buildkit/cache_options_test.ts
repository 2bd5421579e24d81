import { assertEquals, assertThrows } from "@std/assert";
import { readCacheOptions } from "../../../../handlers/builds/buildkit/cache_options.ts";

Deno.test("readCacheOptions() reads registries and images, and refuses other kinds by their names", () => {
  const registry = (ref: string, more = {}) => ({ Type: "registry", Attrs: { ref, ...more } });
  const read = (more: Partial<Parameters<typeof readCacheOptions>[0]>) =>
    readCacheOptions({ imports: [], exports: [], attributes: {}, ...more });
  const attributes = { "cache-from": "a:1,b", "cache-imports": JSON.stringify([registry("c"), registry("d")]) };
  assertEquals(read({ imports: [registry("d")], attributes }).cacheFrom, ["a:1", "b", "d", "c"]);
  const exports = [registry("h/e:t", { mode: "max" }), registry("h/f", { "ignore-error": "true" })];
  assertEquals(read({ exports }), {
    cacheFrom: [],
    cacheTo: [{ name: "h/e:t", all: true, mayFail: false }, { name: "h/f", all: false, mayFail: true }],
  });
  assertEquals(read({ exports: [{ Type: "inline", Attrs: {} }] }).inlineCache, true);
  for (const Type of ["gha", "s3", "azblob", "local"]) {
    const entry = { Type, Attrs: {} };
    assertThrows(
      () => read({ exports: [entry] }),
      Error,
      `"${Type}" is not supported for writing: use registry and inline`,
    );
    assertThrows(() => read({ imports: [entry] }), Error, `"${Type}" is not supported for reading: use registry`);
  }
  assertThrows(() => read({ imports: [{ Type: "registry", Attrs: {} }] }), Error, "has no ref");
  for (const wrong of ["{", "{}", "[1]"]) {
    assertThrows(() => read({ attributes: { "cache-imports": wrong } }), Error, "not a JSON list of caches");
  }
});
