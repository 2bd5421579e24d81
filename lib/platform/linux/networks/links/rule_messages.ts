/**
 * Messages of nfnetlink that ask for tables and rules of iptables, as its version for nftables keeps them.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { addressAt, parseSubnet } from "../../../../engine/text/ip.ts";
import {
  addressBytes,
  attributeOf,
  byteOf,
  FLAGS,
  joinMessages,
  type Messages,
  netlinkMessage,
  shortOf,
  textWithEnd,
} from "./netlink.ts";

/** `NFT_MSG_*`, with the number of the subsystem. */
const TYPES = { newTable: 0xa00, getTable: 0xa01, newRule: 0xa06, getRule: 0xa07 };
/** `NFTA_TABLE_NAME`, and `NFTA_RULE_*`. */
const [TABLE_NAME, RULE] = [1, { table: 1, chain: 2, handle: 3 }];
/** `NFTA_DATA_VALUE`. */
const VALUE = 1;
/** The sizes of `nlmsghdr` and `nfgenmsg`. */
const HEAD = 20;

/** `NFPROTO_INET`, `NFPROTO_IPV4` or `NFPROTO_IPV6`. */
export type RuleFamily = 1 | 2 | 10;

/** Asks for a table; an absent one is the error `missing`. */
export function getTable(family: RuleFamily, table: string): Messages {
  return joinMessages(
    netlinkMessage(TYPES.getTable, FLAGS.none, headOf(family), attributeOf(TABLE_NAME, textWithEnd(table))),
  );
}

/** Asks for all rules of a chain. */
export function listChain(family: RuleFamily, table: string, chain: string): Messages {
  const names = [attributeOf(RULE.table, textWithEnd(table)), attributeOf(RULE.chain, textWithEnd(chain))];
  return joinMessages(netlinkMessage(TYPES.getRule, FLAGS.list, headOf(family), ...names));
}

/** Asks for single rules; an absent one is the error `missing`. */
export function getRules(family: RuleFamily, table: string, rules: readonly RuleHandle[]): Messages {
  return joinMessages(...rules.map(({ chain, handle }) =>
    netlinkMessage(
      TYPES.getRule,
      FLAGS.none,
      headOf(family),
      attributeOf(RULE.table, textWithEnd(table)),
      attributeOf(RULE.chain, textWithEnd(chain)),
      attributeOf(RULE.handle, handle),
    )
  ));
}

/** The marks that tell a rule from all that its table ever has. */
export interface RuleHandle {
  chain: string;
  /** Eight bytes. */
  handle: Uint8Array;
}

/** How many of the kernel's answers are tables, and how many are rules. */
export function countAnswers(replies: readonly Uint8Array[]): { tables: number; rules: number } {
  const types = replies.map((reply) => Buffer.from(reply.buffer, reply.byteOffset).readUInt16LE(4));
  return {
    tables: types.filter((type) => type === TYPES.newTable).length,
    rules: types.filter((type) => type === TYPES.newRule).length,
  };
}

/** The handles of the rules of a chain that have some bytes in them. */
export function rulesWith(replies: readonly Uint8Array[], chain: string, bytes: Uint8Array): RuleHandle[] {
  return replies.map((reply) => Buffer.from(reply)).filter((reply) => reply.includes(Buffer.from(bytes))).flatMap(
    (reply) => {
      for (let at = HEAD; at + 4 <= reply.length;) {
        const size = reply.readUInt16LE(at);
        if (size < 4 || at + size > reply.length) break;
        if (reply.readUInt16LE(at + 2) === RULE.handle) return [{ chain, handle: reply.subarray(at + 4, at + size) }];
        at += (size + 3) & ~3;
      }
      return [];
    },
  );
}

/** The bytes that a rule has which compares addresses with a subnet: as many of an address as the subnet's length says, or all with a mask. */
export function comparedBytes(cidr: string): Uint8Array {
  const subnet = parseSubnet(cidr);
  const whole = addressBytes(addressAt(subnet, 0));
  const bytes = subnet.prefix % 8 === 0 ? whole.subarray(0, subnet.prefix / 8) : whole;
  return Buffer.concat([shortOf(4 + bytes.length), shortOf(VALUE), bytes]);
}

function headOf(family: RuleFamily) {
  return [byteOf(family), new Uint8Array(3)];
}
