import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { isDigest, isID, parseDigest } from "../../lib/oci/digest.ts";
import {
  familiarName,
  formatReference,
  isDomain,
  isTag,
  normaliseReference,
  parseReference,
  repositoryName,
  withDefaultTag,
} from "../../lib/oci/reference.ts";

const D = `sha256:${"a".repeat(64)}`;

Deno.test("isDigest() knows registered algorithms, lower-case hex and lengths", () => {
  for (const digest of [D, `sha512:${"0".repeat(128)}`, `sha384:${"0".repeat(96)}`]) assert(isDigest(digest), digest);
  for (
    const text of [
      "",
      "sha256:",
      `sha256:${"A".repeat(64)}`,
      `sha256:${"a".repeat(63)}`,
      `md5:${"a".repeat(64)}`,
      `${D}\n`,
      `sha512:${"a".repeat(64)}`,
    ]
  ) {
    assert(!isDigest(text), text);
    assertThrows(() => parseDigest(text), SyntaxError, "Parse digest");
  }
  assertEquals(parseDigest(D), { algorithm: "sha256", hex: "a".repeat(64) });
  assertEquals([isID("a".repeat(64)), isID("a".repeat(12)), isID(D)], [true, false, false]);
});

const PARSED: [string, ReturnType<typeof parseReference>][] = [
  ["busybox", { domain: "", path: "busybox" }],
  ["busybox:1.36", { domain: "", path: "busybox", tag: "1.36" }],
  ["user/app", { domain: "", path: "user/app" }],
  ["localhost/app", { domain: "localhost", path: "app" }],
  ["localhost:5000", { domain: "", path: "localhost", tag: "5000" }],
  ["localhost:5000/app", { domain: "localhost:5000", path: "app" }],
  ["h:5000/a/b/c:t", { domain: "h:5000", path: "a/b/c", tag: "t" }],
  ["quay.io/a__b/c-_d".replace("-_", "--"), { domain: "quay.io", path: "a__b/c--d" }],
  ["[::1]:5000/app", { domain: "[::1]:5000", path: "app" }],
  ["Example.COM/app", { domain: "Example.COM", path: "app" }],
  [`x@${D}`, { domain: "", path: "x", digest: D }],
  [`quay.io/x:t@${D}`, { domain: "quay.io", path: "x", tag: "t", digest: D }],
  [`x:${"t".repeat(128)}`, { domain: "", path: "x", tag: "t".repeat(128) }],
];

Deno.test("parseReference() takes references apart, and format() puts them together", () => {
  for (const [text, reference] of PARSED) {
    assertEquals(parseReference(text), reference, text);
    assertEquals(formatReference(reference), text);
  }
});

const REFUSED: [string, string][] = [
  ["", "at least one component"],
  ["Busybox", "repository name must be lowercase"],
  ["quay.io/Foo", "repository name must be lowercase"],
  ["Foo/bar", "repository name must be lowercase"],
  ["a".repeat(64), "cannot specify 64-byte hexadecimal strings"],
  ["x:", "invalid reference format"],
  [`x:${"t".repeat(129)}`, "invalid reference format"],
  ["x:-t", "invalid reference format"],
  ["x:a:b", "invalid reference format"],
  ["x@sha256:abc", "invalid reference format"],
  ["x@", "invalid reference format"],
  [`x@sha256:${"a".repeat(63)}`, "invalid checksum digest length"],
  [`x@md5:${"a".repeat(32)}`, "unsupported digest algorithm"],
  [`x@${D}@${D}`, "invalid reference format"],
  ["a//b", "invalid reference format"],
  ["/a", "invalid reference format"],
  ["a/", "invalid reference format"],
  ["-a", "invalid reference format"],
  ["a..b/c", "invalid reference format"],
  ["a___b", "invalid reference format"],
  ["a/../b", "invalid reference format"],
  ["-h.io/a", "invalid reference format"],
  ["h.io:x/a", "invalid reference format"],
  ["https://quay.io/a", "invalid reference format"],
  ["a b", "invalid reference format"],
  ["a\n", "invalid reference format"],
  ["x:t\n", "invalid reference format"],
  ["q.io/" + "a".repeat(251), "must not be more than 255 characters"],
  ["a".repeat(5000), "must not be more than 255 characters"],
];

for (const [text, why] of REFUSED) {
  Deno.test(`parseReference() refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
    const error = assertThrows(() => parseReference(text), SyntaxError, why);
    assert(error.message.startsWith('Parse reference "'));
    assert(error.message.length < 500);
  });
}

Deno.test("normaliseReference() completes names as Docker does", () => {
  const cases = [
    ["busybox", "docker.io/library/busybox"],
    ["docker.io/busybox:1", "docker.io/library/busybox:1"],
    ["index.docker.io/a/b", "docker.io/a/b"],
    ["user/app", "docker.io/user/app"],
    ["quay.io/app", "quay.io/app"],
    ["localhost/app", "localhost/app"],
    [`busybox:1@${D}`, `docker.io/library/busybox:1@${D}`],
  ];
  for (const [text, full] of cases) assertEquals(formatReference(normaliseReference(text)), full);
  assertEquals(formatReference(normaliseReference("app", { defaultDomain: "h:5000" })), "h:5000/app");
  assertEquals(formatReference(normaliseReference("app", { defaultDomain: "docker.io" })), "docker.io/library/app");
  // Fits alone, not with what is added.
  assertThrows(() => normaliseReference("a".repeat(250)), SyntaxError, "255");
});

Deno.test("familiarName() is what Docker's clients show", () => {
  const cases = [["busybox:1", "busybox:1"], ["user/app", "user/app"], ["quay.io/a", "quay.io/a"], [
    "library/a/b",
    "library/a/b",
  ]];
  for (const [text, shown] of cases) assertEquals(familiarName(normaliseReference(text)), shown);
});

Deno.test("withDefaultTag() adds latest to bare names only", () => {
  assertEquals(formatReference(withDefaultTag(parseReference("x"))), "x:latest");
  assertEquals(formatReference(withDefaultTag(parseReference("x:1"))), "x:1");
  assertEquals(formatReference(withDefaultTag(parseReference(`x@${D}`))), `x@${D}`);
  assertEquals([
    repositoryName(normaliseReference("x:1")),
    isTag("a.b-c"),
    isTag("é"),
    isDomain("h:1"),
    isDomain("h/a"),
  ], [
    "docker.io/library/x",
    true,
    false,
    true,
    false,
  ]);
});

Deno.test("parseReference() throws nothing but SyntaxError, and what it takes survives format() (fuzz)", () => {
  const alphabet = [
    "a",
    "B",
    "0",
    ".",
    "-",
    "_",
    "__",
    "/",
    ":",
    "@",
    "[",
    "]",
    "sha256:",
    "a".repeat(64),
    "localhost",
    "é",
    " ",
    "\n",
    "%",
  ];
  let state = 20261121;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >>> 8;
  let taken = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random() % 9 }, () => alphabet[random() % alphabet.length]).join("");
    try {
      const reference = parseReference(text);
      assertEquals(formatReference(reference), text);
      assertEquals(parseReference(formatReference(normaliseReference(text))), normaliseReference(text));
      taken++;
    } catch (error) {
      assertInstanceOf(error, SyntaxError);
    }
  }
  assert(taken > 500, `${taken}`);
});

Deno.test("parseReference() is quick with hostile text", () => {
  const start = performance.now();
  for (
    const text of [
      "a-".repeat(2000),
      "a_".repeat(2000) + "!",
      "a.".repeat(1900) + "/x",
      "[" + ":".repeat(4000),
      "x@a" + "-a".repeat(1900) + ":",
    ]
  ) {
    assertThrows(() => parseReference(text), SyntaxError);
  }
  assert(performance.now() - start < 1000);
});
