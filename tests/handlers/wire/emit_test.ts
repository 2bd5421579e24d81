import { assertEquals } from "@std/assert";
import { emit } from "../../../handlers/wire/emit.ts";
import { time } from "../../../handlers/wire/time.ts";
import { z } from "../../../handlers/wire/zod.ts";

const Inner = z.object({ Text: z.string(), Left: z.string().optional() });
const Sample = z.object({
  Second: z.number(),
  First: z.string(),
  At: time,
  List: z.array(z.string()).nullable(),
  Omitted: z.array(z.string()).optional(),
  Pointer: z.boolean().nullable(),
  OmittedPointer: z.boolean().nullish(),
  Inner,
  Inners: z.array(Inner).nullable(),
});

Deno.test("emit() fills what nobody set with Go's zero values, in the schema's order", () => {
  const written = JSON.stringify(emit(Sample, {}));
  assertEquals(
    written,
    '{"Second":0,"First":"","At":"0001-01-01T00:00:00Z","List":null,"Pointer":null,"Inner":{"Text":""},"Inners":null}',
  );
});

Deno.test("emit() leaves out what is empty and marked so, and keeps pointers to empty values", () => {
  const full = emit(Sample, {
    First: "a",
    List: [],
    Omitted: [],
    Pointer: false,
    OmittedPointer: false,
    Inners: [{ Text: "t", Left: "" }, { Left: "l" }],
  });
  assertEquals(full as unknown, {
    Second: 0,
    First: "a",
    At: "0001-01-01T00:00:00Z",
    List: [],
    Pointer: false,
    OmittedPointer: false,
    Inner: { Text: "" },
    Inners: [{ Text: "t" }, { Text: "", Left: "l" }],
  });
});

Deno.test("emit() drops what the schema does not know", () => {
  const extra: { Text: string } = Object.assign({ Text: "t" }, { More: 1 });
  assertEquals(emit(Inner, extra) as unknown, { Text: "t" });
});
