/**
 * Tar header blocks: read as Go's `archive/tar` reads them (ustar, GNU, star, v7), written in the one form that GNU tar and
 * libarchive read alike. Names stay bytes.
 *
 * @module
 */
import { concatBytes, decodeLatin1, fromLatin1 } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";

/** Bytes of a tar block. */
export const BLOCK = 512;

/** The header of one entry. */
export interface TarHeader {
  name: Uint8Array;
  link: Uint8Array;
  /** The type flag as a character. */
  flag: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  /** Whole seconds since the epoch. */
  mtime: number;
  major: number;
  minor: number;
}

const NAME = 100;
/** "ustar  \0" is GNU's own, under which L, K and base 256 are at home; "ustar\0" and "00" is what POSIX has. */
const MAGIC = {
  gnu: [0x75, 0x73, 0x74, 0x61, 0x72, 0x20, 0x20, 0],
  posix: [0x75, 0x73, 0x74, 0x61, 0x72, 0, 0x30, 0x30],
} as const;

/** Reads a header block. Throws {@linkcode LayerError} for a wrong checksum or number. */
export function readHeader(block: Uint8Array): TarHeader {
  checkSum(block);
  const flag = String.fromCharCode(block[156]);
  const posix = block[257] === 0x75 && block[262] === 0; // "ustar\0", not GNU's "ustar "
  const star = posix && decodeLatin1(block.subarray(508, 512)) === "tar\0";
  const prefix = posix ? readText(block, 345, star ? 131 : 155) : new Uint8Array(0);
  const device = flag === "3" || flag === "4";
  return {
    name: prefix.length === 0 ? readText(block, 0, NAME) : joinPrefix(prefix, readText(block, 0, NAME)),
    link: readText(block, 157, NAME),
    flag,
    mode: readNumber(block, 100, 8, "mode") & 0o7777,
    uid: readNumber(block, 108, 8, "owner"),
    gid: readNumber(block, 116, 8, "group"),
    size: readNumber(block, 124, 12, "size"),
    mtime: readNumber(block, 136, 12, "time"),
    major: device ? readNumber(block, 329, 8, "device number") : 0,
    minor: device ? readNumber(block, 337, 8, "device number") : 0,
  };
}

/**
 * The blocks of an entry: GNU `L` and `K` blocks for long names, the PAX records (whole, raw), the header itself. Its magic is
 * GNU's, unless POSIX' is asked for and the names are not long.
 */
export function writeHeader(
  header: TarHeader,
  records: readonly Uint8Array[] = [],
  magic: keyof typeof MAGIC = "gnu",
): Uint8Array {
  const parts: Uint8Array[] = [];
  if (records.length > 0) parts.push(...withBody("x", concatBytes(records)));
  if (header.link.length > NAME) parts.push(...withBody("K", withZero(header.link)));
  if (header.name.length > NAME) parts.push(...withBody("L", withZero(header.name)));
  parts.push(writeBlock(header, parts.length === 0 ? magic : "gnu"));
  return parts.length === 1 ? parts[0] : concatBytes(parts);
}

/** Whether the block is all zeros, as the two that end an archive are. */
export function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Bytes that fill `size` up to whole blocks. */
export function paddingOf(size: number): number {
  return (BLOCK - size % BLOCK) % BLOCK;
}

function checkSum(bytes: Uint8Array): void {
  let unsigned = 0;
  let high = 0;
  for (let i = 0; i < BLOCK; i++) {
    const byte = bytes[i];
    unsigned += byte;
    high += byte >> 7;
  }
  // The field itself counts as blanks.
  for (let i = 148; i < 156; i++) {
    unsigned += 32 - bytes[i];
    high -= bytes[i] >> 7;
  }
  const stated = readNumber(bytes, 148, 8, "checksum");
  // Some old writers summed signed characters.
  if (stated !== unsigned && stated !== unsigned - 256 * high) {
    throw new LayerError("corrupt", "a header's checksum is wrong");
  }
}

/** Octal text between blanks or zeros, or base 256 (GNU) where the first bit is set. */
function readNumber(bytes: Uint8Array, start: number, length: number, what: string): number {
  if ((bytes[start] & 0x80) !== 0) return readBinary(bytes.subarray(start, start + length), what);
  const end = start + length;
  let at = start;
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0)) at++;
  let value = 0;
  for (; at < end && bytes[at] !== 0x20 && bytes[at] !== 0; at++) {
    const digit = bytes[at] - 0x30;
    if (digit < 0 || digit > 7) throw new LayerError("corrupt", `a header's ${what} is not a number`);
    value = value * 8 + digit;
  }
  return value;
}

function readBinary(bytes: Uint8Array, what: string): number {
  const negative = (bytes[0] & 0x40) !== 0;
  let value = 0n;
  for (let i = 0; i < bytes.length; i++) value = value << 8n | BigInt(i === 0 ? bytes[i] & 0x7f : bytes[i]);
  // The flag bit is no part of the number; the rest is two's complement.
  if (negative) value -= 1n << BigInt(bytes.length * 8 - 1);
  const number = Number(value);
  if (!Number.isSafeInteger(number) || (negative && what !== "time")) {
    throw new LayerError("corrupt", `a header's ${what} is out of range`);
  }
  return number;
}

function writeBlock(header: TarHeader, magic: keyof typeof MAGIC = "gnu"): Uint8Array {
  const bytes = new Uint8Array(BLOCK);
  bytes.set(header.name.subarray(0, NAME), 0);
  writeNumber(bytes, 100, 8, header.mode);
  writeNumber(bytes, 108, 8, header.uid);
  writeNumber(bytes, 116, 8, header.gid);
  writeNumber(bytes, 124, 12, header.size);
  writeNumber(bytes, 136, 12, header.mtime);
  bytes[156] = header.flag.charCodeAt(0);
  bytes.set(header.link.subarray(0, NAME), 157);
  // No owner names: numbers alone count.
  bytes.set(MAGIC[magic], 257);
  if (header.flag === "3" || header.flag === "4") {
    writeNumber(bytes, 329, 8, header.major);
    writeNumber(bytes, 337, 8, header.minor);
  }
  bytes.fill(32, 148, 156);
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += bytes[i];
  writeNumber(bytes, 148, 7, sum);
  return bytes;
}

function writeNumber(bytes: Uint8Array, at: number, length: number, value: number): void {
  let rest = Math.abs(value);
  if (value >= 0 && value < 8 ** (length - 1)) {
    for (let i = at + length - 2; i >= at; i--, rest = Math.floor(rest / 8)) bytes[i] = 48 + rest % 8;
    bytes[at + length - 1] = 0;
    return;
  }
  let binary = BigInt.asUintN(length * 8, BigInt(value));
  for (let i = at + length - 1; i >= at; i--, binary >>= 8n) bytes[i] = Number(binary & 255n);
  bytes[at] |= 0x80;
}

function withBody(flag: string, body: Uint8Array): Uint8Array[] {
  const name = fromLatin1("././@LongLink");
  const rest = { link: new Uint8Array(0), mode: 0o644, uid: 0, gid: 0, mtime: 0, major: 0, minor: 0 };
  return [writeBlock({ name, flag, size: body.length, ...rest }), body, new Uint8Array(paddingOf(body.length))];
}

function withZero(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, new Uint8Array(1)]);
}

const EMPTY = new Uint8Array(0);

function readText(bytes: Uint8Array, at: number, length: number): Uint8Array {
  // A loop: archives of many small files spend most of their time here, and most fields are empty.
  let end = at;
  while (end < at + length && bytes[end] !== 0) end++;
  return end === at ? EMPTY : bytes.slice(at, end);
}

function joinPrefix(prefix: Uint8Array, name: Uint8Array): Uint8Array {
  return concatBytes([prefix, Uint8Array.of(0x2f), name]);
}

/** The bytes of a field before the zero that ends it, which one that is full does not have. */
export function untilZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}
