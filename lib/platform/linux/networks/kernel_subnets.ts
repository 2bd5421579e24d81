import { askRoutes } from "../calls/ask_routes.ts";

/** `RTM_GETADDR`, `RTM_NEWADDR`, `RTM_GETROUTE` and `RTM_NEWROUTE` of rtnetlink(7); `NLMSG_DONE` and `NLMSG_ERROR` of netlink(7). */
const GET_ADDRESS = 22;
const NEW_ADDRESS = 20;
const GET_ROUTE = 26;
const NEW_ROUTE = 24;
const DONE = 3;
const ERROR = 2;
/** `NLM_F_REQUEST | NLM_F_DUMP`. */
const LIST = 0x301;
/** `IFA_ADDRESS` and `IFA_LOCAL`: at a link between two, the second is its own. */
const ADDRESS = 1;
const LOCAL = 2;
/** `RTA_DST`. */
const DESTINATION = 1;
/** `AF_INET` and `AF_INET6`. */
const IPV6 = 10;
const FAMILIES: ReadonlySet<number> = new Set([2, IPV6]);
/** `RT_SCOPE_LINK`. */
const SCOPE_LINK = 253;
/** The sizes of `nlmsghdr`, `ifaddrmsg` and `rtmsg`. */
const HEAD = 16;
const ADDRESS_BODY = 8;
const ROUTE_BODY = 12;

interface Message {
  readonly type: number;
  readonly body: DataView;
}

/**
 * The addresses of all interfaces, those that are down too, and the destinations of routes in every table, each with its length:
 * `10.1.2.3/24`; `undefined` where the kernel cannot be asked.
 */
export function kernelSubnets(): string[] | undefined {
  const datagrams = askAll([listRequest(GET_ADDRESS, ADDRESS_BODY), listRequest(GET_ROUTE, ROUTE_BODY)]);
  return datagrams && subnetsIn(datagrams);
}

/**
 * The addresses of all interfaces, without their lengths and without those that mean nothing apart from their link; `undefined` where the
 * kernel cannot be asked.
 */
export function kernelAddresses(): string[] | undefined {
  const datagrams = askAll([listRequest(GET_ADDRESS, ADDRESS_BODY)]);
  const messages = datagrams && messagesIn(datagrams);
  return messages?.filter(({ body }) => !isLinkLocal(body)).flatMap(subnetOf).map((text) => text.split("/")[0]!);
}

/** The subnets of the kernel's answers; `undefined` where one of them is a failure, so that no part is taken for all. */
export function subnetsIn(datagrams: readonly Uint8Array[]): string[] | undefined {
  return messagesIn(datagrams)?.flatMap(subnetOf);
}

function askAll(requests: readonly Uint8Array[]): Uint8Array[] | undefined {
  const ends = ({ type }: Message) => type === DONE || type === ERROR;
  return askRoutes(requests, (datagram) => readMessages(datagram).some(ends));
}

/** The messages of the kernel's answers; `undefined` where one of them is a failure. */
function messagesIn(datagrams: readonly Uint8Array[]): Message[] | undefined {
  const messages = datagrams.flatMap(readMessages);
  return messages.some(({ type }) => type === ERROR) ? undefined : messages;
}

/** Whether the body of an address says that it is one of IPv6 whose scope is its link. */
function isLinkLocal(body: DataView): boolean {
  return body.byteLength >= ADDRESS_BODY && body.getUint8(0) === IPV6 && body.getUint8(3) === SCOPE_LINK;
}

/** A request for everything of a kind, of both families. */
function listRequest(type: number, body: number): Uint8Array {
  const request = new DataView(new ArrayBuffer(HEAD + body));
  request.setUint32(0, HEAD + body, LITTLE);
  request.setUint16(4, type, LITTLE);
  request.setUint16(6, LIST, LITTLE);
  return new Uint8Array(request.buffer);
}

/** Numbers are the machine's own; the machines that Deno runs on have the lowest byte first. */
const LITTLE = true;

/** The messages of a datagram; what its lengths cut short is left out. */
export function readMessages(datagram: Uint8Array): Message[] {
  const view = new DataView(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  const messages: Message[] = [];
  for (let at = 0; at + HEAD <= view.byteLength;) {
    const length = view.getUint32(at, LITTLE);
    if (length < HEAD || at + length > view.byteLength) break;
    const body = new DataView(view.buffer, view.byteOffset + at + HEAD, length - HEAD);
    messages.push({ type: view.getUint16(at + 4, LITTLE), body });
    at += aligned(length);
  }
  return messages;
}

function subnetOf({ type, body }: Message): string[] {
  // Others have routes too (MPLS), whose destinations are labels.
  if (body.byteLength === 0 || !FAMILIES.has(body.getUint8(0))) return [];
  if (type === NEW_ADDRESS && body.byteLength >= ADDRESS_BODY) {
    const found = readAddresses(body, ADDRESS_BODY);
    const address = found.get(LOCAL) ?? found.get(ADDRESS);
    return address === undefined ? [] : [`${address}/${body.getUint8(1)}`];
  }
  if (type !== NEW_ROUTE || body.byteLength < ROUTE_BODY) return [];
  // The default route has none.
  const destination = readAddresses(body, ROUTE_BODY).get(DESTINATION);
  return destination === undefined ? [] : [`${destination}/${body.getUint8(1)}`];
}

/** The attributes that are addresses, by their kind. */
function readAddresses(body: DataView, from: number): Map<number, string> {
  const found = new Map<number, string>();
  for (let at = from; at + 4 <= body.byteLength;) {
    const length = body.getUint16(at, LITTLE);
    if (length < 4 || at + length > body.byteLength) break;
    const text = addressText(new Uint8Array(body.buffer, body.byteOffset + at + 4, length - 4));
    if (text !== undefined) found.set(body.getUint16(at + 2, LITTLE), text);
    at += aligned(length);
  }
  return found;
}

/** Four bytes of IPv4, or sixteen of IPv6. */
function addressText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  return Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8 | bytes[2 * i + 1]!).toString(16)).join(":");
}

function aligned(length: number): number {
  return (length + 3) & ~3;
}
