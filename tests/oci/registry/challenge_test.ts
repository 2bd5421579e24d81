import { assert, assertEquals } from "@std/assert";
import { parseChallenges } from "../../../lib/oci/registry/challenge.ts";

Deno.test("parseChallenges() reads schemes and parameters, several in one header", () => {
  const plain = (header: string | null) =>
    parseChallenges(header).map(({ scheme, parameters }) => ({ scheme, parameters: { ...parameters } }));
  assertEquals(plain(null), []);
  assertEquals(plain('Basic realm="a \\"b\\", c"'), [{ scheme: "basic", parameters: { realm: 'a "b", c' } }]);
  assertEquals(plain('Bearer realm="https://a/t?x=1",service=s , Scope="a:b:c d" , Basic realm="x"'), [
    { scheme: "bearer", parameters: { realm: "https://a/t?x=1", service: "s", scope: "a:b:c d" } },
    { scheme: "basic", parameters: { realm: "x" } },
  ]);
  assertEquals(plain("Negotiate, Basic realm=x"), [{ scheme: "negotiate", parameters: {} }, {
    scheme: "basic",
    parameters: { realm: "x" },
  }]);
  assertEquals(plain('="x"'), []);
  assertEquals(plain('Bearer __proto__="x"').length, 1);
});

Deno.test("parseChallenges() ends on any text (fuzz)", () => {
  const alphabet = ["Bearer", "Basic", " ", ",", "=", '"', "\\", "realm", "x", "é", "\t", ";"];
  let state = 1;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >>> 8;
  const start = performance.now();
  for (let round = 0; round < 5000; round++) {
    parseChallenges(Array.from({ length: random() % 30 }, () => alphabet[random() % alphabet.length]).join(""));
  }
  parseChallenges('"'.repeat(8000) + "a".repeat(8000));
  parseChallenges("a ".repeat(4000));
  parseChallenges('a="' + "\\".repeat(8000));
  assert(performance.now() - start < 2000);
});
