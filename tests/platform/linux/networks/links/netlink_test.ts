import { assertEquals, assertThrows } from "@std/assert";
import {
  attributeOf,
  byteOf,
  hardwareBytes,
  joinMessages,
  nestedOf,
  netlinkMessage,
  textWithEnd,
  wordOf,
} from "../../../../../lib/platform/linux/networks/links/netlink.ts";
import { getElements } from "../../../../../lib/platform/linux/networks/links/set_messages.ts";

Deno.test("joinMessages() aligns attributes, counts lengths without the filling, and tells where numbers go", () => {
  const message = netlinkMessage(
    16,
    5,
    wordOf(7),
    attributeOf(3, textWithEnd("ab")),
    nestedOf(18, attributeOf(28, "file")),
  );
  const { bytes, places } = joinMessages(message, netlinkMessage(17, 1, "index", byteOf(9)));
  const view = new DataView(bytes.buffer);
  assertEquals([view.getUint32(0, true), view.getUint16(4, true), view.getUint16(6, true)], [40, 16, 5]);
  // An attribute of three bytes: its length says 7, and one more byte fills it.
  assertEquals([...bytes.subarray(20, 28)], [7, 0, 3, 0, 97, 98, 0, 0]);
  assertEquals([...bytes.subarray(28, 36)], [12, 0, 18, 0x80, 8, 0, 28, 0]);
  assertEquals(view.getUint32(40, true), 21);
  assertEquals(places, "f36 i56");
  assertEquals(bytes.length, 64);
});

Deno.test("netlink messages take no text or address that would say something else", () => {
  assertThrows(() => textWithEnd("eth0\0x"), TypeError, "NUL byte");
  assertThrows(() => hardwareBytes("02:67:0a:00:00"), SyntaxError, "not an address");
  assertThrows(() => hardwareBytes("02:67:0a:00:00:0g"), SyntaxError, "not an address");
  assertThrows(() => getElements([{ map: "any4", key: "icmp . 80" }]), SyntaxError, "not an address");
});
