/**
 * Writing messages of netlink(7): numbers are the machine's own, attributes are aligned to four bytes.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { endianness } from "node:os";
import { parseAddress } from "../../../../engine/text/ip.ts";

/** A number that only the helper knows when it sends: the index of the interface it looked up last, or the number of the file it opened last. */
export type Remembered = "index" | "file";

/** A piece of a message. */
export type Piece = Uint8Array | Remembered | readonly Piece[];

/** Messages, and the places of the numbers that the helper fills in, as it takes them: `i20 f64`. */
export interface Messages {
  bytes: Uint8Array;
  places: string;
}

/** Flags of a message: `NLM_F_REQUEST | NLM_F_ACK` go with every one. */
export const FLAGS = { none: 5, replace: 0x105, exclusive: 0x205, create: 0x405, createExclusive: 0x605, list: 0x305 };

const LITTLE = endianness() === "LE";
/** The size of `nlmsghdr`. */
const HEAD = 16;
/** `NLA_F_NESTED`. */
const NESTED = 0x8000;

/** One byte. */
export function byteOf(value: number): Uint8Array {
  return Uint8Array.of(value);
}

/** Sixteen bits in the machine's order. */
export function shortOf(value: number): Uint8Array {
  const bytes = new Uint8Array(2);
  new DataView(bytes.buffer).setUint16(0, value, LITTLE);
  return bytes;
}

/** Thirty-two bits in the machine's order. */
export function wordOf(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, LITTLE);
  return bytes;
}

/** A text with the zero byte at its end. Throws `TypeError` for one that has a zero byte, which would cut it short. */
export function textWithEnd(value: string): Uint8Array {
  if (value.includes("\0")) throw new TypeError(`Write netlink message: "${value}" has a NUL byte`);
  return Buffer.from(`${value}\0`);
}

/** The bytes of an IP address. */
export function addressBytes(address: string): Uint8Array {
  const { version, value } = parseAddress(address);
  return Buffer.from(value.toString(16).padStart(version === 4 ? 8 : 32, "0"), "hex");
}

/** The bytes of a hardware address, `02:67:0a:00:00:05`. Throws `SyntaxError`. */
export function hardwareBytes(mac: string): Uint8Array {
  if (!/^[\da-f]{2}(:[\da-f]{2}){5}$/i.test(mac)) throw new SyntaxError(`Parse MAC address "${mac}": not an address`);
  return Buffer.from(mac.replaceAll(":", ""), "hex");
}

/** An attribute. */
export function attributeOf(type: number, ...value: Piece[]): Piece {
  const size = sizeOf(value);
  return [shortOf(4 + size), shortOf(type), value, new Uint8Array(-size & 3)];
}

/** An attribute that is made of attributes. */
export function nestedOf(type: number, ...value: Piece[]): Piece {
  return attributeOf(type | NESTED, ...value);
}

/** A message. */
export function netlinkMessage(type: number, flags: number, ...body: Piece[]): Piece {
  const size = sizeOf(body);
  return [wordOf(HEAD + size), shortOf(type), shortOf(flags), new Uint8Array(8), body, new Uint8Array(-size & 3)];
}

/** Puts messages one after the other. */
export function joinMessages(...messages: Piece[]): Messages {
  const bytes = new Uint8Array(sizeOf(messages));
  const places: string[] = [];
  let at = 0;
  const write = (piece: Piece) => {
    if (typeof piece === "string") {
      places.push(`${piece === "index" ? "i" : "f"}${at}`);
      at += 4;
    } else if (piece instanceof Uint8Array) {
      bytes.set(piece, at);
      at += piece.length;
    } else {
      piece.forEach(write);
    }
  };
  write(messages);
  return { bytes, places: places.join(" ") };
}

function sizeOf(piece: Piece): number {
  if (typeof piece === "string") return 4;
  if (piece instanceof Uint8Array) return piece.length;
  return piece.reduce((sum, part) => sum + sizeOf(part), 0);
}
