import { assertEquals, assertThrows } from "@std/assert";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import { parsePAX, paxRecord } from "../../../lib/oci/tar/pax.ts";

const utf8 = new TextEncoder();

Deno.test("paxRecord() counts its own length, and parsePAX() reads it back", () => {
  for (let length = 0; length < 1100; length++) {
    const value = new Uint8Array(length).fill(length);
    const [record, ...more] = parsePAX(paxRecord("SCHILY.xattr.k", value));
    assertEquals(more, []);
    assertEquals([record.key, record.value], ["SCHILY.xattr.k", value]);
  }
});

Deno.test("parsePAX() keeps values as bytes, newlines and equals signs in them too", () => {
  const value = Uint8Array.of(0xff, 0x0a, 0x3d, 0, 0x80);
  const records = parsePAX(Uint8Array.from([...paxRecord("a", value), ...paxRecord("b", value)]));
  assertEquals(records.map(({ key, value }) => [key, value]), [["a", value], ["b", value]]);
});

Deno.test("parsePAX() refuses what is broken", () => {
  for (
    const body of [
      "5 a=",
      "99 a=b\n",
      "6 a=bX",
      "0 a=b\n",
      "a=b\n",
      "5 =b\n",
      "6a=bb\n",
      "\0",
      "7 a=b\n\n\n",
      "99999999999 a=b\n",
    ]
  ) {
    assertThrows(() => parsePAX(utf8.encode(body)), LayerError, "", body);
  }
});
