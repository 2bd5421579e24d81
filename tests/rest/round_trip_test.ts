/** What goes in at the client comes out at the server, and back: over generated definitions and values. */
import { assertEquals } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  bytes,
  handler,
  type HeaderReader,
  type HeaderWriter,
  implement,
  instance,
  int64,
  link,
  rest,
  type Schema,
  time,
  uint64,
} from "../../lib/rest/mod.ts";
import { xml } from "../../lib/rest/codecs/xml.ts";

/** Numbers below a bound, the same ones in every run. */
function dice(seed: number): (below: number) => number {
  return (below) => (seed = (seed * 48271) % 2147483647) % below;
}

const roll = dice(20261121);
const pick = <T>(from: readonly T[]): T => from[roll(from.length)];
const TEXTS = [
  "a",
  "a b",
  "é",
  "a/b",
  "%",
  "?x=y&z",
  "#",
  "100%25",
  "\\",
  "+",
  "中文",
  "a;b",
  "'\"<>&",
  "true",
  "0",
  "null",
];

interface Sample {
  readonly schema: Schema;
  readonly make: () => unknown;
}

const SCALARS: readonly Sample[] = [
  { schema: z.string(), make: () => pick(TEXTS) },
  { schema: z.boolean(), make: () => roll(2) === 0 },
  { schema: z.number(), make: () => pick([0, -1, 1.5, 1e21, 2 ** 53]) },
  { schema: int64, make: () => pick([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) },
  { schema: uint64, make: () => pick([0n, 2n ** 64n - 1n]) },
  { schema: time, make: () => new Date(roll(2 ** 30) * 1000 + roll(1000)) },
  { schema: bytes, make: () => Uint8Array.from({ length: 1 + roll(9) }, () => roll(256)) },
];

function compound(depth: number): Sample {
  const inner = () => depth > 0 && roll(3) === 0 ? compound(depth - 1) : pick(SCALARS.slice(0, 3));
  switch (roll(4)) {
    case 0: {
      const item = inner();
      return {
        schema: z.array(item.schema as z.ZodType),
        make: () => Array.from({ length: 1 + roll(3) }, () => item.make()),
      };
    }
    case 1: {
      const item = inner();
      return {
        schema: z.record(z.string(), item.schema as z.ZodType),
        make: () => Object.fromEntries(TEXTS.slice(0, 1 + roll(4)).map((key) => [key, item.make()])),
      };
    }
    default: {
      const fields = Array.from({ length: 1 + roll(4) }, (_, i) => [`f${i}`, inner()] as const);
      const shape = Object.fromEntries(fields.map(([name, { schema }]) => [name, (schema as z.ZodType).nullish()]));
      return {
        schema: z.object({ ...shape, big: z.bigint().nullish(), at: z.date().nullish() }),
        make: () => ({
          ...Object.fromEntries(
            fields.flatMap(([name, { make }]) => roll(5) === 0 ? [] : [[name, roll(5) === 0 ? null : make()]]),
          ),
          ...roll(2) === 0 && { big: 2n ** BigInt(roll(80)), at: new Date(roll(2 ** 30)) },
        }),
      };
    }
  }
}

Deno.test("link() and handler() carry generated values both ways through generated definitions", async () => {
  for (let round = 0; round < 400; round++) {
    const path = Array.from({ length: roll(3) }, () => pick(SCALARS));
    const query = Array.from({ length: roll(3) }, () => pick(SCALARS));
    const body = Array.from({ length: roll(3) }, () => roll(2) === 0 ? pick(SCALARS) : compound(2));
    const all = [...path, ...query, ...body];
    const ruled = roll(2) === 0 && body.length > 0;
    const tag = `POST /x${path.map((_, i) => `/{p${i}=%v}`).join("")}${query.length > 0 ? "?" : ""}` +
      query.map((_, i) => `q${i}=%v`).join("&") + (ruled ? ` (${body.map((_, i) => `b${i}`).join(",")})` : "") +
      (ruled && all.length > 0 ? `${ruled ? " " : " "}${all.map((_, i) => `r${i}`).join(",")}` : "");
    const schemas = all.map(({ schema }) => schema);
    const definition = api("x", { F: rest(tag, schemas, schemas) });
    let got: unknown[] = [];
    const run = handler(
      null,
      implement(definition, {
        F: (...given: unknown[]) => {
          got = given.slice(0, -1);
          return (got.length === 1 ? got[0] : got) as never;
        },
      }),
    );
    const values = all.map(({ make }) => make());
    const client = link(definition, "http://h", { fetch: run });
    const back = await (client.F as (...args: unknown[]) => Promise<unknown>)(...values);
    assertEquals(got, values, tag);
    if (all.length > 0) assertEquals(back, values.length === 1 ? values[0] : values, tag);
  }
});

Deno.test("every content type carries bigint, Date, bytes and what is not there", async () => {
  const Mixed = z.object({
    big: z.bigint().optional(),
    at: z.date().optional(),
    raw: z.instanceof(Uint8Array).optional(),
    text: z.string().optional(),
    list: z.array(z.string()).optional(),
    none: z.string().nullish(),
  });
  const whole = { big: 2n ** 63n, at: new Date(5), raw: Uint8Array.of(7, 255), text: "a&b=c", list: ["x", "y"] };
  for (
    const type of ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]
  ) {
    const definition = api("x", {
      Both: rest(`POST(${type}) /x (mixed,data) mixed,data` as string, [Mixed, bytes], [Mixed, bytes]),
      One: rest(`PUT(${type}) /x`, [Mixed], [Mixed]),
    }, { codecs: [xml()] });
    const run = handler(null, implement(definition, { Both: (mixed, data) => [mixed, data], One: (mixed) => mixed }));
    const client = link(definition, "http://h", { fetch: run });
    assertEquals(await client.One(whole), whole, type);
    assertEquals(await client.One({ none: undefined }), {}, type);
    assertEquals(await client.Both(whole, Uint8Array.of(0, 255)), [whole, Uint8Array.of(0, 255)], type);
  }
});

class Stamp implements HeaderReader, HeaderWriter {
  seen: string | null = null;
  constructor(readonly name: string) {}
  writeHeadersHTTP(headers: Headers): void {
    headers.append("x-stamp", this.name);
  }
  readHeadersHTTP(headers: Headers): void {
    this.seen = headers.get("x-stamp");
  }
}

Deno.test("instance() lets arguments and results write and read headers, in order", async () => {
  const stamp = instance(z.object({ name: z.string() }), ({ name }) => new Stamp(name));
  const definition = api("x", { Swap: rest("POST / (a,b) b,a", [stamp, stamp], [stamp, stamp]) });
  const run = handler(
    null,
    implement(definition, {
      Swap: (a, b) => {
        assertEquals([a.seen, b.seen], ["1, 2", "1, 2"]);
        return [b, a];
      },
    }),
  );
  const client = link(definition, "http://h", { fetch: run });
  const back = await client.Swap(new Stamp("1"), new Stamp("2"));
  assertEquals(back.map(({ name, seen }) => [name, seen]), [["2", "2, 1"], ["1", "2, 1"]]);
});
