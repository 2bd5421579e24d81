import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { checkName, NAME_PATTERN, randomID, randomName } from "../../../lib/engine/text/names.ts";
import { hostRandom } from "../../../lib/platform/random.ts";

Deno.test("checkName() takes what Podman takes", () => {
  for (const name of ["a", "A9", "web_1.x-y", "0"]) checkName(name);
  for (const name of ["", "-a", ".a", "a b", "a/b", "ä", "a\n", "x".repeat(2000)]) {
    const error = assertThrows(() => checkName(name), EngineError, "names must match");
    assertEquals(error.code, "invalid");
  }
});

Deno.test("randomID() gives 64 hex digits", () => {
  assertMatch(randomID(hostRandom()), /^[0-9a-f]{64}$/);
});

Deno.test("randomName() avoids names that are taken", () => {
  const taken = new Set<string>();
  for (let i = 0; i < 3000; i++) {
    const name = randomName(hostRandom(), (other) => taken.has(other));
    assert(NAME_PATTERN.test(name) && !taken.has(name));
    taken.add(name);
  }
  assertMatch(randomName(hostRandom(), () => true), /^c_[0-9a-f]{16}$/);
});
