import { askRoutes } from "../helpers/libc.ts";

/** `RTM_GETADDR` and `RTM_NEWADDR` of rtnetlink(7); `NLMSG_DONE` and `NLMSG_ERROR` of netlink(7). */
const GET_ADDRESS = 22;
const NEW_ADDRESS = 20;
const DONE = 3;
const ERROR = 2;
/** `NLM_F_REQUEST | NLM_F_DUMP`. */
const LIST = 0x301;
/** `IFA_ADDRESS` and `IFA_LOCAL`: at a link between two, the second is its own. */
const ADDRESS = 1;
const LOCAL = 2;
/** The sizes of `nlmsghdr` and `ifaddrmsg`. */
const HEAD = 16;
const BODY = 8;

interface Message {
  readonly type: number;
  readonly body: DataView;
}

/** The addresses of all interfaces, those that are down too, each with its length: `10.1.2.3/24`; `undefined` where the kernel cannot be asked. */
export function hostAddresses(): string[] | undefined {
  const request = new DataView(new ArrayBuffer(HEAD + BODY));
  request.setUint32(0, HEAD + BODY, LITTLE);
  request.setUint16(4, GET_ADDRESS, LITTLE);
  request.setUint16(6, LIST, LITTLE);
  const ends = ({ type }: Message) => type === DONE || type === ERROR;
  const datagrams = askRoutes(new Uint8Array(request.buffer), (datagram) => readMessages(datagram).some(ends));
  return datagrams?.flatMap((datagram) => readMessages(datagram).flatMap(addressOf));
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

function addressOf({ type, body }: Message): string[] {
  if (type !== NEW_ADDRESS || body.byteLength < BODY) return [];
  const prefix = body.getUint8(1);
  const found = new Map<number, string>();
  for (let at = BODY; at + 4 <= body.byteLength;) {
    const length = body.getUint16(at, LITTLE);
    if (length < 4 || at + length > body.byteLength) break;
    const text = addressText(new Uint8Array(body.buffer, body.byteOffset + at + 4, length - 4));
    if (text !== undefined) found.set(body.getUint16(at + 2, LITTLE), text);
    at += aligned(length);
  }
  const address = found.get(LOCAL) ?? found.get(ADDRESS);
  return address === undefined ? [] : [`${address}/${prefix}`];
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
