/**
 * Messages of rtnetlink(7) about links, addresses and routes.
 *
 * @module
 */
import type { NetworkRoute } from "../../../../engine/records/network_record.ts";
import { addressAt, parseAddress, parseSubnet } from "../../../../engine/text/ip.ts";
import {
  addressBytes,
  attributeOf,
  byteOf,
  FLAGS,
  hardwareBytes,
  nestedOf,
  netlinkMessage,
  type Piece,
  textWithEnd,
  wordOf,
} from "./netlink.ts";

/** `RTM_*`. */
const TYPES = { newLink: 16, deleteLink: 17, setLink: 19, newAddress: 20, newRoute: 24 };
/** `IFLA_*`. */
const LINK = { mac: 1, name: 3, mtu: 4, master: 10, portInfo: 12, info: 18, families: 26, namespaceFile: 28 };
/** `IFLA_INFO_KIND`, `IFLA_INFO_DATA` and `VETH_INFO_PEER`. */
const [KIND, DATA, PEER] = [1, 2, 1];
/** `IFLA_BRPORT_MODE`. */
const HAIRPIN = 4;
/** `IFLA_INET_CONF`, and `IPV4_DEVCONF_RP_FILTER` below it. */
const [SETTINGS, REVERSE_PATH] = [1, 8];
/** `IFLA_INET6_ADDR_GEN_MODE`, and `IN6_ADDR_GEN_MODE_NONE`. */
const [GENERATION, NO_ADDRESS] = [8, 1];
/** `IFA_*`. */
const ADDRESS = { address: 1, local: 2, broadcast: 4 };
/** `RTA_*`. */
const ROUTE = { destination: 1, device: 4, gateway: 5, metric: 6 };
/** `IFF_UP`. */
const UP = 1;
/** `AF_INET`, `AF_INET6` and `AF_BRIDGE`. */
const [INET, INET6, BRIDGE] = [2, 10, 7];
/** `IFA_F_NODAD`: nobody else has an address that the engine has given. */
const NO_DETECTION = 2;
/** `RT_TABLE_MAIN` and `RTPROT_STATIC`, as netavark says of its routes. */
const [MAIN_TABLE, STATIC] = [254, 4];
/** `RTN_*`. */
const ROUTE_TYPES = { unicast: 1, blackhole: 6, unreachable: 7, prohibit: 8 };

/** The header of a message about a link: the flags that are set are those that change. */
function linkHead(
  { family = 0, index = wordOf(0), up = false }: { family?: number; index?: Piece; up?: boolean } = {},
): Piece {
  const flags = wordOf(up ? UP : 0);
  return [byteOf(family), new Uint8Array(3), index, flags, flags];
}

/** Makes a bridge that is down; one that is there is an error. */
export function newBridge(name: string, mac: string, mtu: number | undefined): Piece {
  return netlinkMessage(
    TYPES.newLink,
    FLAGS.createExclusive,
    linkHead(),
    attributeOf(LINK.name, textWithEnd(name)),
    attributeOf(LINK.mac, hardwareBytes(mac)),
    mtuOf(mtu),
    nestedOf(LINK.info, attributeOf(KIND, textWithEnd("bridge"))),
  );
}

/** Makes a pair of links: one end at the bridge that was looked up, up, the other one, still down, in the namespace that was opened. */
export function newPair(ends: { outer: string; inner: string; mac?: string; mtu?: number }): Piece {
  const peer = [
    linkHead(),
    attributeOf(LINK.name, textWithEnd(ends.inner)),
    ...ends.mac === undefined ? [] : [attributeOf(LINK.mac, hardwareBytes(ends.mac))],
    mtuOf(ends.mtu),
    attributeOf(LINK.namespaceFile, "file"),
  ];
  return netlinkMessage(
    TYPES.newLink,
    FLAGS.createExclusive,
    linkHead({ up: true }),
    attributeOf(LINK.name, textWithEnd(ends.outer)),
    mtuOf(ends.mtu),
    attributeOf(LINK.master, "index"),
    nestedOf(LINK.info, attributeOf(KIND, textWithEnd("veth")), nestedOf(DATA, nestedOf(PEER, ...peer))),
  );
}

/** Lets the packets of a bridge's port that was looked up leave by it again: a container reaches its own published ports so. */
export function reflectPackets(): Piece {
  return netlinkMessage(
    TYPES.setLink,
    FLAGS.none,
    linkHead({ family: BRIDGE, index: "index" }),
    nestedOf(LINK.portInfo, attributeOf(HAIRPIN, byteOf(1))),
  );
}

/**
 * Keeps the kernel from giving the link that was looked up a link-local address of IPv6, once it is up; the error `noFamily` where the
 * kernel has no IPv6.
 */
export function leaveWithoutAddress(): Piece {
  const family = nestedOf(INET6, attributeOf(GENERATION, byteOf(NO_ADDRESS)));
  return netlinkMessage(TYPES.setLink, FLAGS.none, linkHead({ index: "index" }), nestedOf(LINK.families, family));
}

/**
 * Brings the link that was looked up up.
 *
 * @param options `reversePath` is its `rp_filter`: 0 takes every source, 1 those that are answered by this link, 2 those that are answered
 * by any
 */
export function bringUp({ reversePath }: { reversePath?: 0 | 1 | 2 } = {}): Piece {
  const settings = reversePath === undefined ? [] : nestedOf(
    LINK.families,
    nestedOf(INET, nestedOf(SETTINGS, attributeOf(REVERSE_PATH, wordOf(reversePath)))),
  );
  return netlinkMessage(TYPES.setLink, FLAGS.none, linkHead({ index: "index", up: true }), settings);
}

/** Gives the link that was looked up a hardware address. */
export function setHardwareAddress(mac: string): Piece {
  return netlinkMessage(
    TYPES.setLink,
    FLAGS.none,
    linkHead({ index: "index" }),
    attributeOf(LINK.mac, hardwareBytes(mac)),
  );
}

/** Deletes a link by its name. */
export function deleteLink(name: string): Piece {
  return netlinkMessage(TYPES.deleteLink, FLAGS.none, linkHead(), attributeOf(LINK.name, textWithEnd(name)));
}

/** Gives the link that was looked up an address, as often as asked. */
export function newAddress(address: string, prefix: number): Piece {
  const bytes = addressBytes(address);
  const isIPv4 = bytes.length === 4;
  const broadcast = isIPv4 && prefix < 31
    ? addressBytes(addressAt(parseSubnet(`${address}/${prefix}`), -1))
    : undefined;
  return netlinkMessage(
    TYPES.newAddress,
    FLAGS.create | FLAGS.replace,
    [byteOf(isIPv4 ? INET : INET6), byteOf(prefix), byteOf(isIPv4 ? 0 : NO_DETECTION), byteOf(0), "index"],
    attributeOf(ADDRESS.local, bytes),
    attributeOf(ADDRESS.address, bytes),
    ...broadcast === undefined ? [] : [attributeOf(ADDRESS.broadcast, broadcast)],
  );
}

/** Makes a route, by the link that was looked up where it has a gateway, in place of one with the same destination and metric. */
export function newRoute({ destination, gateway, metric = 0, type = "unicast" }: NetworkRoute): Piece {
  const { version, first, prefix } = parseSubnet(destination);
  const start = addressAt({ version, first, prefix, size: 1n }, 0);
  return netlinkMessage(
    TYPES.newRoute,
    FLAGS.create | FLAGS.replace,
    [byteOf(version === 4 ? INET : INET6), byteOf(prefix), byteOf(0), byteOf(0)],
    [byteOf(MAIN_TABLE), byteOf(STATIC), byteOf(0), byteOf(ROUTE_TYPES[type]), wordOf(0)],
    ...prefix === 0 ? [] : [attributeOf(ROUTE.destination, addressBytes(start))],
    ...gateway === undefined
      ? []
      : [attributeOf(ROUTE.gateway, addressBytes(gateway)), attributeOf(ROUTE.device, "index")],
    attributeOf(ROUTE.metric, wordOf(metric)),
  );
}

/** The default route of an address's family. */
export function defaultRoute(gateway: string, metric: number): Piece {
  return newRoute({ destination: parseAddress(gateway).version === 4 ? "0.0.0.0/0" : "::/0", gateway, metric });
}

function mtuOf(mtu: number | undefined): Piece {
  return mtu === undefined ? [] : attributeOf(LINK.mtu, wordOf(mtu));
}
