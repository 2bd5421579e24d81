import { assertEquals, assertThrows } from "@std/assert";
import { formatReference, normaliseReference } from "../../../lib/oci/reference.ts";
import {
  emptyRegistriesConf,
  findRegistry,
  listEndpoints,
  parseRegistriesConf,
} from "../../../lib/oci/registry/registries_conf.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import { isShortName, listCandidates, localCandidates } from "../../../lib/oci/registry/short_name.ts";

const D = `sha256:${"a".repeat(64)}`;
const CONF = `
unqualified-search-registries = ["docker.io", "quay.io", "h:5000/"]
short-name-mode = "permissive"
[[registry]]
prefix = "example.com/foo"
location = "internal.example.net/bar"
[[registry.mirror]]
location = "mirror-0.local/m"
[[registry.mirror]]
location = "mirror-1.local"
insecure = true
pull-from-mirror = "digest-only"
[[registry.mirror]]
location = "mirror-2.local"
pull-from-mirror = "tag-only"
[[registry]]
location = "example.com"
insecure = true
[[registry]]
prefix = "*.wild.org"
[[registry.mirror]]
location = "mirror.net/w"
[[registry]]
prefix = "only.digest"
location = "only.digest"
mirror-by-digest-only = true
[[registry.mirror]]
location = "m.digest"
[[registry]]
location = "evil.org"
blocked = true
[aliases]
"short" = "quay.io/a/long"
"gone" = ""
"lib/short" = "docker.io/thing"
`;

function places(conf: string, reference: string): string[] {
  return listEndpoints(parseRegistriesConf(conf), normaliseReference(reference)).map(
    ({ reference, insecure, mirror }) => {
      return [formatReference(reference), ...(insecure ? ["insecure"] : []), ...(mirror ? ["mirror"] : [])].join(" ");
    },
  );
}

Deno.test("listEndpoints() rewrites by the longest prefix, mirrors first", () => {
  assertEquals(places(CONF, "example.com/foo/img:1"), [
    "mirror-0.local/m/img:1 mirror",
    "mirror-2.local/img:1 mirror",
    "internal.example.net/bar/img:1",
  ]);
  assertEquals(places(CONF, `example.com/foo/img@${D}`), [
    `mirror-0.local/m/img@${D} mirror`,
    `mirror-1.local/img@${D} insecure mirror`,
    `internal.example.net/bar/img@${D}`,
  ]);
  assertEquals(places(CONF, "example.com/foobar:1"), ["example.com/foobar:1 insecure"]);
  assertEquals(places(CONF, "elsewhere.com/x:1"), ["elsewhere.com/x:1"]);
});

Deno.test("listEndpoints() knows wildcards, and mirrors for digests only", () => {
  assertEquals(places(CONF, "a.b.wild.org/x/y:1"), ["mirror.net/w/x/y:1 mirror", "a.b.wild.org/x/y:1"]);
  assertEquals(places(CONF, "a.wild.org:5000/x:1"), ["mirror.net/w/x:1 mirror", "a.wild.org:5000/x:1"]);
  assertEquals(places(CONF, "only.digest/x:1"), ["only.digest/x:1"]);
  assertEquals(places(CONF, `only.digest/x@${D}`), [`m.digest/x@${D} mirror`, `only.digest/x@${D}`]);
});

Deno.test("listEndpoints() refuses blocked registries", () => {
  const conf = parseRegistriesConf({ name: "/etc/x.conf", text: CONF });
  const error = assertThrows(() => listEndpoints(conf, normaliseReference("evil.org/x")), RegistryError);
  assertEquals([error.code, error.message], ["blocked", 'registry evil.org is blocked in "/etc/x.conf"']);
});

Deno.test("findRegistry() matches whole components", () => {
  const conf = parseRegistriesConf(CONF);
  const found = (text: string) => findRegistry(conf, normaliseReference(text))?.prefix;
  assertEquals(found("example.com.evil/x"), undefined);
  assertEquals(found("notexample.com/x"), undefined);
  assertEquals(found("x.wild.org.evil/y"), undefined);
  assertEquals(found("wild.org/y"), undefined);
  assertEquals(found("q.io/a.wild.org"), undefined);
});

Deno.test("parseRegistriesConf() lays drop-ins over the file", () => {
  const conf = parseRegistriesConf(
    CONF,
    'unqualified-search-registries = []\n[[registry]]\nlocation = "evil.org"\n[aliases]\nshort = ""\nnew = "quay.io/new"\n',
  );
  assertEquals(conf.unqualifiedSearch, []);
  assertEquals(conf.registries.find(({ prefix }) => prefix === "evil.org")?.blocked, false);
  assertEquals(conf.registries.length, 5);
  assertEquals(conf.aliases, { "lib/short": "docker.io/thing", new: "quay.io/new" });
  assertEquals(parseRegistriesConf(), emptyRegistriesConf());
  assertEquals(parseRegistriesConf("").shortNameMode, "permissive");
});

const REFUSED = [
  "x = ",
  '[registries.search]\nregistries = ["a"]',
  'short-name-mode = "maybe"',
  'unqualified-search-registries = "docker.io"',
  'unqualified-search-registries = ["docker.io/library"]',
  "[[registry]]\n",
  '[[registry]]\nprefix = "a.b"',
  '[[registry]]\nlocation = "https://a.b"',
  '[[registry]]\nprefix = "*.a.b/c"\nlocation = "x"',
  '[[registry]]\nlocation = "a"\ninsecure = "yes"',
  '[[registry]]\nlocation = "a"\n[[registry.mirror]]\n',
  '[[registry]]\nlocation = "a"\nmirror-by-digest-only = true\n[[registry.mirror]]\nlocation = "m"\npull-from-mirror = "all"',
  '[[registry]]\nlocation = "a"\n[[registry.mirror]]\nlocation = "m"\npull-from-mirror = "never"',
  '[[registry]]\nlocation = "a"\n[[registry]]\nprefix = "b"\nlocation = "a"\ninsecure = true',
  '[aliases]\n"quay.io/x" = "quay.io/y"',
  '[aliases]\nx = "y"',
  '[aliases]\n"x:1" = "quay.io/y"',
  '[aliases]\nx = "quay.io/y:1"',
];

for (const text of REFUSED) {
  Deno.test(`parseRegistriesConf() refuses ${JSON.stringify(text)}`, () => {
    assertThrows(
      () => parseRegistriesConf({ name: "x.conf", text }),
      SyntaxError,
      'Load registries configuration "x.conf": ',
    );
  });
}

Deno.test("listCandidates() says what a pull tries", () => {
  const conf = parseRegistriesConf(CONF);
  const of = (text: string) => listCandidates(conf, text).map(formatReference);
  assertEquals(of("x"), ["docker.io/library/x:latest", "quay.io/x:latest", "h:5000/x:latest"]);
  assertEquals(of("u/x:1"), ["docker.io/u/x:1", "quay.io/u/x:1", "h:5000/u/x:1"]);
  assertEquals(of("short:2"), ["quay.io/a/long:2"]);
  assertEquals(of("lib/short"), ["docker.io/library/thing:latest"]);
  assertEquals(of(`short@${D}`), [`quay.io/a/long@${D}`]);
  assertEquals(of("quay.io/x"), ["quay.io/x:latest"]);
  assertEquals(of("gone").length, 3);
  assertEquals(of("constructor").length, 3);
  assertEquals(listCandidates(conf, "short", { dockerHub: true }).map(formatReference), [
    "docker.io/library/short:latest",
  ]);
  assertEquals([isShortName("u/x"), isShortName("localhost/x")], [true, false]);
});

Deno.test("listCandidates() refuses a short name that nothing explains", () => {
  assertThrows(
    () => listCandidates(emptyRegistriesConf(), "x"),
    SyntaxError,
    "no containers-registries.conf(5) was found",
  );
  const empty = parseRegistriesConf({ name: "c.conf", text: "" });
  const error = assertThrows(() => listCandidates(empty, "x"), SyntaxError);
  const why = 'short-name "x" did not resolve to an alias and no unqualified-search registries are defined in "c.conf"';
  assertEquals(error.message, why);
  const strict = parseRegistriesConf(CONF, 'short-name-mode = "enforcing"');
  assertThrows(() => listCandidates(strict, "x"), SyntaxError, "cannot prompt without a TTY");
});

Deno.test("localCandidates() looks at aliases, localhost, the search registries and Docker Hub", () => {
  const of = (text: string) => localCandidates(parseRegistriesConf(CONF), text).map(formatReference);
  assertEquals(of("short"), [
    "quay.io/a/long:latest",
    "localhost/short:latest",
    "quay.io/short:latest",
    "h:5000/short:latest",
    "docker.io/library/short:latest",
  ]);
  assertEquals(of("quay.io/x:1"), ["quay.io/x:1"]);
});
