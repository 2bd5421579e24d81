import { assert, assertEquals, assertThrows } from "@std/assert";
import { Message } from "../../../../handlers/builds/buildkit/protobuf.ts";

const Inner = new Message({ name: [1, "string"], size: [2, "int64"] });

const Outer = new Message({
  flag: [1, "bool"],
  count: [2, "uint32"],
  inner: [3, Inner],
  list: [4, { list: Inner }],
  texts: [5, { map: "string" }],
  data: [16, "bytes"],
});

Deno.test("Message writes what it reads, and skips fields that it does not know", () => {
  const value = {
    flag: true,
    count: 4294967295,
    inner: { name: "ä", size: 2 ** 52 },
    list: [{ name: "a", size: -1 }, { name: "", size: 0 }],
    texts: { one: "1", "": "empty" } as Record<string, string>,
    data: new Uint8Array([0, 255]),
  };
  const read = Outer.decode(Outer.encode(value));
  assertEquals({ ...read, texts: { ...read.texts } }, value);
  // Tag and bytes as the wire format has them: field 3, two fields within.
  assertEquals([...Outer.encode({ inner: { name: "x", size: 5 } })], [0x1a, 5, 0x0a, 1, 0x78, 0x10, 5]);
  assertEquals(Inner.decode(Outer.encode({ data: new Uint8Array(9) })), { name: "", size: 0 });
  assertEquals(Object.getPrototypeOf(read.texts), null, "a key may be called __proto__");
});

Deno.test("Message refuses what ends early, lies about its length or has no end of entries", () => {
  const rows = [[0x1a, 9, 0x0a], [0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f], [0x22, 2, 0x0a], [0x1a, 2, 0x0a, 5]];
  for (const row of rows) assertThrows(() => Outer.decode(new Uint8Array(row)), Error);
  const many = new Uint8Array(2 * 100_001).map((_, at) => at % 2 === 0 ? 0x22 : 0);
  assertThrows(() => Outer.decode(many), RangeError, "more than 100000 entries");
  const random = crypto.getRandomValues.bind(crypto);
  for (let round = 0; round < 5000; round++) {
    const junk = random(new Uint8Array(round % 60));
    try {
      Outer.decode(junk);
    } catch (error) {
      assert(error instanceof Error);
    }
  }
});
