import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { ChannelSource } from "../../../lib/rest/channels/channel_source.ts";
import { encodeParts, LONG, Quoted, type TextParts } from "../../../lib/rest/channels/parts/encode_parts.ts";
import { textBody } from "../../../lib/rest/channels/ndjson.ts";
import { partsWriter } from "../../../lib/rest/channels/parts/parts_writer.ts";
import { api, chan, handler, implement, rest, type Schema } from "../../../lib/rest/mod.ts";
import type { Kind } from "../../../lib/rest/plan/kind.ts";

const KIND: Kind = {
  type: "struct",
  fields: new Map<string, { kind: Kind }>([
    ["a", { kind: { type: "string" } }],
    ["b", { kind: { type: "string" } }],
    ["n", { kind: { type: "number" } }],
  ]),
};

function piecesOf(texts: TextParts): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  encodeParts(texts, (piece) => pieces.push(piece));
  return pieces;
}

function textOf(texts: string | TextParts): string {
  const decoder = new TextDecoder();
  const pieces = piecesOf(typeof texts === "string" ? [texts] : texts);
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

const isApart = (texts: string | TextParts) => typeof texts !== "string";

Deno.test("encodeParts() escapes a long text as JSON.stringify() does, wherever a character stands and a piece ends", () => {
  const characters = ["\0", "\x1f", "\t", "\r", "\n", '"', "\\", "\x7f", "\x80", "é", "\u2028", "€", "\ud83d\ude00"];
  const places = [0, 1, 2, 3, 4, 65_530, 65_533, 65_534, 65_535, 65_536, 131_065, 131_071, 150_000];
  for (const filler of ["x", "é", "€"]) {
    const long = filler.repeat(150_000);
    for (const character of characters) {
      // Quotation marks, backslashes and line feeds do not come here: the writer keeps their texts away.
      if (/["\\\n]/.test(character)) continue;
      for (const place of places) {
        const text = long.slice(0, place) + character + long.slice(place);
        for (const before of ["", "a", "ab\n"]) {
          const written = textOf([`${before}"`, new Quoted(text), '"\n']);
          assert(written === `${before}${JSON.stringify(text)}\n`, `${filler} ${JSON.stringify(character)} ${place}`);
        }
      }
    }
  }
});

Deno.test("encodeParts() makes pieces of 64 KiB, each with memory of its own", () => {
  const pieces = piecesOf(["data: ", new Quoted("x".repeat(200_000)), "\n\n"]);
  assertEquals(pieces.map((piece) => piece.length), [65_536, 65_536, 65_536, 3400]);
  assertEquals(new Set(pieces.map((piece) => piece.buffer)).size, 4);
  const wide = piecesOf(["€".repeat(100_000), "!"]);
  assert(wide.every((piece) => piece.length > 0 && piece.length <= 65_536));
  assertEquals(wide.reduce((sum, piece) => sum + piece.length, 0), 300_001);
});

Deno.test("partsWriter() leaves long texts as they are, and what it writes is what JSON.stringify() writes", () => {
  const write = partsWriter(KIND);
  const long = "y".repeat(LONG);
  const inherited = Object.assign(Object.create({ c: long }), { a: long });
  const own = (toJSON: unknown) => ({ a: long, toJSON });
  const rows: [value: unknown, apart: boolean][] = [
    [{ a: long }, true],
    [{ n: 1, a: long, b: "short" }, true],
    [{ a: long, b: long }, true],
    [{ a: long, b: `${long}\n` }, true],
    [{ a: `${long}"` }, false],
    [{ a: `${long}\\` }, false],
    [{ a: `${long}\ud800` }, false],
    [{ a: `${long}\t` }, true],
    [{ n: NaN, a: long, b: undefined, c: () => 1, d: Symbol() }, true],
    [{ b: undefined, a: long }, true],
    [{ 2: "two", a: long, 1: "one", inner: { a: long, when: new Date(0) } }, true],
    [{ 'a "key"\n': long, a: long }, true],
    [JSON.parse(`{"__proto__":{"x":1},"a":"${long}"}`), false],
    [own(() => "own"), false],
    [own(1), false],
    [inherited, false],
    [{ a: "short" }, false],
    [[long], false],
    [long, false],
    [null, false],
    [new Date(0), false],
  ];
  for (const [value, apart] of rows) {
    const written = write(value);
    assertEquals(isApart(written), apart, JSON.stringify(value)?.slice(0, 40));
    assert(textOf(written) === (JSON.stringify(value) ?? "null"), JSON.stringify(value)?.slice(0, 40));
  }
  assert(isApart(partsWriter({ type: "string" })(long)));
  assertEquals(textOf(partsWriter({ type: "string" })(long)), JSON.stringify(long));
  // A bigint that the schema does not have is written as a number, and a cycle is refused, as everywhere.
  assertEquals(textOf(write({ a: long, n: 5n })), `{"a":"${long}","n":5}`);
  const cycle: Record<string, unknown> = { a: long };
  cycle.n = cycle;
  assertThrows(() => write(cycle), TypeError);
});

Deno.test("a channel of long values sends what its schema says, as events, as lines and with IDs", async () => {
  const Value = z.object({ n: z.number(), text: z.string() });
  const texts = ["x".repeat(70_000), "short", "€".repeat(70_000), `${"z".repeat(9000)}\n`, `${"z".repeat(9000)}\x01`];
  const feed = api("x", { Values: rest("GET /values", [], [chan(Value)]) });
  const serve = handler(
    null,
    implement(feed, {
      async *Values() {
        for (const [n, text] of texts.entries()) {
          const value: z.infer<typeof Value> = Object.assign({ n, text }, { secret: 1 });
          yield value;
        }
      },
    }),
  );
  const answer = async (accept: string) => {
    const response = await serve(new Request("http://localhost/values", { headers: { accept } }));
    return await response.text();
  };
  const values = texts.map((text, n) => JSON.stringify({ n, text }));
  assert(await answer("application/x-ndjson") === values.map((value) => `${value}\n`).join(""));
  const events = values.map((value) => `data: ${value}\n\n`).join("");
  assert(await answer("text/event-stream") === `${events}event: end\nid: end\ndata: \n\n`);
});

Deno.test("a channel's schema is made into a check once, not with every channel", async () => {
  let made = 0;
  const text = z.object({ text: z.string() });
  const { jsonSchema, ...standard } = text["~standard"] as Schema["~standard"];
  const tell = (side: "input" | "output") => (options: Parameters<NonNullable<typeof jsonSchema>["input"]>[0]) => {
    made++;
    return jsonSchema![side](options);
  };
  const counted: Schema<unknown, { text: string }> = {
    "~standard": { ...standard, jsonSchema: { input: tell("input"), output: tell("output") } } as Schema<
      unknown,
      { text: string }
    >["~standard"],
  };
  const feed = api("x", { Values: rest("GET /values", [], [chan(counted)]) });
  const serve = handler(
    null,
    implement(feed, {
      async *Values() {
        yield { text: "a" };
      },
    }),
  );
  const answer = async () => await (await serve(new Request("http://localhost/values"))).text();
  assertEquals(await answer(), '{"text":"a"}\n');
  const first = made;
  for (let i = 0; i < 5; i++) assertEquals(await answer(), '{"text":"a"}\n');
  assertEquals(made, first);
});

Deno.test("a body takes two values of 64 KiB from its source at once, and one ahead", async () => {
  let taken = 0;
  async function* source() {
    for (;;) {
      taken++;
      yield { a: "x".repeat(65_536) };
    }
  }
  const body = textBody(new ChannelSource(source(), partsWriter(KIND)), { after: "\n" });
  const reader = body.getReader();
  await reader.read();
  assert(taken <= 3, `${taken} were taken`);
  await reader.cancel();
});
