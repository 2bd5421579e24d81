import { assertEquals, assertThrows } from "@std/assert";
import { imageFilter } from "../../../handlers/images/filters.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { IMAGE } from "../../fixtures/engine/fake_engine.ts";
import { RequestError } from "../../../handlers/request_error.ts";

function image(id: string, created: string, more: Partial<ImageRecord> = {}): ImageRecord {
  const config = { ...IMAGE.config, created, config: { Labels: { which: id } } };
  return { ...IMAGE, id: id.repeat(64), names: [`docker.io/library/${id}:latest`], config, ...more };
}

const IMAGES = [
  image("a", "2026-01-01T00:00:00Z"),
  image("b", "2026-02-01T00:00:00Z", { names: ["quay.io/team/b:1.2"] }),
  image("c", "2026-03-01T00:00:00Z", { names: [], repoDigests: [`quay.io/old/c@sha256:${"3".repeat(64)}`] }),
];

const SCOPE = {
  now: Date.parse("2026-03-02T00:00:00Z"),
  relations: { isDangling: ({ names }: ImageRecord) => names.length === 0, isIntermediate: () => false },
  resolve: (name: string) => {
    const found = IMAGES.find(({ id }) => id.startsWith(name));
    if (found === undefined) throw new Error(`${name}: image not known`);
    return found;
  },
  containers: (id: string) => (id.startsWith("a") ? 1 : 0),
};

function fitting(filters: Record<string, string[]>): string {
  return IMAGES.filter(imageFilter(filters, SCOPE)).map(({ id }) => id[0]).join("");
}

Deno.test("imageFilter() tells which images fit", () => {
  const rows: [filters: Record<string, string[]>, fitting: string][] = [
    [{}, "abc"],
    [{ dangling: ["true"] }, "c"],
    [{ dangling: ["false"] }, "ab"],
    [{ containers: ["true"] }, "a"],
    [{ id: ["sha256:b"] }, "b"],
    [{ id: ["a", "b"] }, "ab"],
    [{ before: ["b"] }, "a"],
    [{ since: ["b"] }, "c"],
    [{ after: ["a"] }, "bc"],
    [{ label: ["which"] }, "abc"],
    [{ label: ["constructor"] }, ""],
    [{ reference: ["*".repeat(50) + "*a".repeat(100) + "z"] }, ""],
    [{ reference: ["quay.io/*/b:1.?"] }, "b"],
    [{ reference: ["*"] }, "ab"],
    [{ reference: ["quay.io/old/c"] }, ""],
    [{ reference: ["quay.io/old/c@sha256:*"] }, "c"],
    [{ label: ["which=a"] }, "a"],
    [{ label: ["which", "which=b"] }, "b"],
    [{ "label!": ["which=a"] }, "bc"],
    [{ "label!": ["which=a", "which=b"] }, "c"],
    [{ "id!": ["a"] }, "bc"],
    [{ "reference!": ["b:1.*"], containers: ["false"] }, "c"],
    [{ containers: ["external"] }, ""],
    [{ reference: ["a"] }, "a"],
    [{ reference: ["a:latest"] }, "a"],
    [{ reference: ["quay.io/*/b"] }, "b"],
    [{ reference: ["b:1.*"] }, "b"],
    [{ reference: ["team/b", "a"] }, "ab"],
    [{ reference: ["b:2"] }, ""],
    [{ until: ["2026-01-15"] }, "a"],
    [{ until: ["240h"] }, "ab"],
    [{ intermediate: ["true"] }, ""],
    [{ digest: [IMAGE.digest.slice(0, 12)] }, "abc"],
  ];
  for (const [filters, expected] of rows) assertEquals(fitting(filters), expected, JSON.stringify(filters));
});

Deno.test("imageFilter() refuses what it does not know", () => {
  const form = 'must be in the format "filter=value or filter!=value"';
  const rows: [filters: Record<string, string[]>, text: string][] = [
    [{ odd: ["x"] }, `invalid image filter "odd": ${form}`],
    // It is the name of something every object has.
    [Object.fromEntries([["toString", ["x"]]]), `invalid image filter "toString": ${form}`],
    [
      { dangling: ["perhaps"] },
      'non-boolean value "perhaps" for dangling filter: strconv.ParseBool: parsing "perhaps"',
    ],
    [{ dangling: ["true", "false"] }, 'specifying "dangling" filter more than once with different values'],
    [{ containers: ["1"] }, 'unsupported value "1" for containers filter'],
    [{ until: ["whenever"] }, 'failed to parse value as time or duration: "whenever"'],
    [{ before: ["nope"] }, 'could not find local image for filter "before"="nope": '],
  ];
  for (const [filters, text] of rows) {
    assertEquals(assertThrows(() => fitting(filters), RequestError, text).code, "invalid");
  }
});
