/**
 * Messages of nfnetlink about the elements of the table's maps and sets (`linux/netfilter/nf_tables.h`).
 *
 * @module
 */
import { Buffer } from "node:buffer";
import {
  addressBytes,
  attributeOf,
  byteOf,
  FLAGS,
  joinMessages,
  type Messages,
  nestedOf,
  netlinkMessage,
  type Piece,
  textWithEnd,
} from "./netlink.ts";

/** `NFNL_SUBSYS_NFTABLES`, and the messages that a transaction begins and ends with. */
const [SUBSYSTEM, BEGIN, END] = [10, 16, 17];
/** `NFT_MSG_*`. */
const TYPES = { newElements: 12, getElements: 13, deleteElements: 14 };
/** `NFPROTO_INET`. */
const INET = 1;
/** `NFTA_SET_ELEM_LIST_*`. */
const LIST = { table: 1, set: 2, elements: 3 };
/** `NFTA_LIST_ELEM`. */
const ELEMENT = 1;
/** `NFTA_SET_ELEM_*`. */
const PART = { key: 1, data: 2, comment: 6 };
/** `NFTA_DATA_VALUE`. */
const VALUE = 1;
/** `IPPROTO_*`. */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
/** `IFNAMSIZ`. */
const NAME_SIZE = 16;
/** The table that `published_ports.ts` makes. */
const TABLE = "gantry";
/** Elements of one message: an attribute holds 64 KiB. */
const CHUNK = 256;

/** An element: its map, its key, and what a map leads to, as nft writes both: `tcp . 8080`, `10.88.0.2 . 80`. */
export interface SetElement {
  map: string;
  key: string;
  value?: string;
  /** The container that it belongs to. */
  owner?: string;
}

/** Deletes elements and makes others, all or none; one that is there already is the error `exists`. */
export function replaceElements(old: readonly SetElement[], made: readonly SetElement[]): Messages {
  return joinMessages(
    netlinkMessage(BEGIN, 1, netfilterHead(0, SUBSYSTEM)),
    ...elementMessages(TYPES.deleteElements, FLAGS.none, old.map(({ map, key }) => ({ map, key }))),
    ...elementMessages(TYPES.newElements, FLAGS.createExclusive, made),
    netlinkMessage(END, 1, netfilterHead(0, SUBSYSTEM)),
  );
}

/** Asks for elements, one by one; one that is absent is the error `missing`. */
export function getElements(asked: readonly SetElement[]): Messages {
  return joinMessages(
    ...asked.map((element) => elementMessage(TYPES.getElements, FLAGS.none, element.map, [element])),
  );
}

function elementMessages(type: number, flags: number, elements: readonly SetElement[]): Piece[] {
  return [...Map.groupBy(elements, ({ map }) => map)].flatMap(([map, found]) =>
    Array.from(
      { length: Math.ceil(found.length / CHUNK) },
      (_, i) => elementMessage(type, flags, map, found.slice(CHUNK * i, CHUNK * (i + 1))),
    )
  );
}

function elementMessage(type: number, flags: number, map: string, elements: readonly SetElement[]): Piece {
  const list = elements.map(({ key, value, owner }) =>
    nestedOf(
      ELEMENT,
      nestedOf(PART.key, attributeOf(VALUE, packParts(key))),
      value === undefined ? [] : nestedOf(PART.data, attributeOf(VALUE, packParts(value))),
      owner === undefined ? [] : attributeOf(PART.comment, commentOf(owner)),
    )
  );
  return netlinkMessage(
    SUBSYSTEM << 8 | type,
    flags,
    netfilterHead(INET, 0),
    attributeOf(LIST.table, textWithEnd(TABLE)),
    attributeOf(LIST.set, textWithEnd(map)),
    nestedOf(LIST.elements, ...list),
  );
}

/** `nfgenmsg`, whose last field has the highest byte first. */
function netfilterHead(family: number, resource: number): Piece {
  return [byteOf(family), byteOf(0), byteOf(resource >> 8), byteOf(resource & 255)];
}

/** A comment as nft keeps it: its kind, its length, and a text that ends with a zero byte. */
function commentOf(owner: string): Piece {
  const bytes = textWithEnd(owner);
  return [byteOf(0), byteOf(bytes.length), bytes];
}

/** The parts of a key or value, each filled up to four bytes. */
function packParts(parts: string): Piece {
  return parts.split(" . ").map((part): Piece => {
    const bytes = packPart(part);
    return [bytes, new Uint8Array(-bytes.length & 3)];
  });
}

function packPart(part: string): Uint8Array {
  const protocol = PROTOCOLS[part];
  if (protocol !== undefined) return Uint8Array.of(protocol);
  if (/^\d+$/.test(part)) return Uint8Array.of(Number(part) >> 8, Number(part) & 255);
  return addressBytes(part);
}

/** The key of a set of interface names. */
export function interfaceElement(set: string, name: string): Messages {
  const bytes = new Uint8Array(NAME_SIZE);
  bytes.set(Buffer.from(name).subarray(0, NAME_SIZE - 1));
  return joinMessages(netlinkMessage(
    SUBSYSTEM << 8 | TYPES.getElements,
    FLAGS.none,
    netfilterHead(INET, 0),
    attributeOf(LIST.table, textWithEnd(TABLE)),
    attributeOf(LIST.set, textWithEnd(set)),
    nestedOf(LIST.elements, nestedOf(ELEMENT, nestedOf(PART.key, attributeOf(VALUE, bytes)))),
  ));
}
