import { AT_ONCE, library, NETLINK } from "./libc.ts";

/** A datagram of netlink(7) is no longer than this. */
const DATAGRAM = 32 * 1024;
/** So many datagrams are read of one answer: tens of thousands of addresses. */
const MOST_DATAGRAMS = 256;

/**
 * Asks the kernel by rtnetlink(7), one request after the other, and returns the datagrams of its answers; `undefined` where that was
 * not done.
 *
 * @param isLast Whether a datagram ends an answer
 */
export function askRoutes(
  requests: readonly Uint8Array[],
  isLast: (datagram: Uint8Array) => boolean,
): Uint8Array[] | undefined {
  const calls = library();
  const socket = calls?.socket(...NETLINK) ?? -1;
  if (calls === null || socket < 0) return undefined;
  try {
    const datagrams: Uint8Array[] = [];
    for (const request of requests) {
      if (calls.send(socket, request, BigInt(request.length), 0) !== BigInt(request.length)) return undefined;
      for (let hasEnded = false; !hasEnded;) {
        if (datagrams.length === MOST_DATAGRAMS) return undefined;
        const buffer = new Uint8Array(DATAGRAM);
        const size = Number(calls.recv(socket, buffer, BigInt(buffer.length), AT_ONCE));
        if (size <= 0) return undefined;
        const datagram = buffer.subarray(0, size);
        datagrams.push(datagram);
        hasEnded = isLast(datagram);
      }
    }
    return datagrams;
  } finally {
    calls.close(socket);
  }
}
