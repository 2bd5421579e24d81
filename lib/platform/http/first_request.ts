import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { RawRequest } from "./exchange/raw_exchange.ts";
import { parseHead } from "./request_head.ts";

/** A head longer than this is node:http's to refuse. */
const HEAD_LIMIT = 128 * 1024;
/** Pieces a head may come in: nobody who means it sends more. */
const PIECES_LIMIT = 1024;

/**
 * Tells which requests may take their connection over although no header says so.
 *
 * @example
 * ```ts
 * import type { Hijacks } from "./serve.ts";
 * const hijacks: Hijacks = (method, path) => method === "POST" && path.endsWith("/attach");
 * console.assert(hijacks("POST", "/consoles/web/attach"));
 * ```
 */
export type Hijacks = (method: string, path: string) => boolean;

/** The handlers of a connection whose first head has been read. */
export interface FirstRequestOptions {
  /** node:http serves it. */
  pass(socket: Socket): void;
  /** It may become a raw connection: node:http must not read on. */
  take(socket: Socket, raw: RawRequest): void;
  readonly hijacks?: Hijacks;
  /** How long a connection may take over its first head (milliseconds), in all, as node:http's `headersTimeout` has it. */
  readonly patience: number;
}

/**
 * Looks at a connection's first head before node:http does. A client that takes a connection over opens one for it, and its
 * raw bytes may follow the head or the body in one packet: node:http's parser would take them for the next request, and in Deno
 * it reads on into the body without telling how far.
 */
export function readFirstRequest(socket: Socket, front: FirstRequestOptions): void {
  let room: Buffer = Buffer.alloc(0);
  let held = 0;
  let pieces = 0;
  const leave = () => {
    socket.removeListener("data", look);
    socket.removeListener("end", drop);
    socket.removeListener("error", drop);
    socket.removeListener("close", leave);
    clearTimeout(timer);
  };
  const drop = () => {
    leave();
    socket.on("error", () => {});
    socket.destroy();
  };
  const look = (piece: Buffer) => {
    if (++pieces > PIECES_LIMIT) return drop();
    const from = Math.max(0, held - 3);
    room = held === 0 ? piece : appendPiece(room, held, piece);
    held += piece.length;
    const seen = room.subarray(0, held);
    const end = seen.indexOf("\r\n\r\n", from);
    if (end < 0 && held < HEAD_LIMIT && startsLikeHTTP(seen)) return;
    const raw = end < 0 ? undefined : judgeHead(seen, end + 4, front.hijacks);
    leave();
    if (raw !== undefined) {
      socket.pause();
      return front.take(socket, raw);
    }
    front.pass(socket);
    // The bytes may fill the request's body, and node:http pauses the socket then. A stream's own tick after a piece, or after
    // resume(), would start to read again, and nothing stop it: the socket counts as paused. So the socket flows on, and has a read under way.
    socket.read(0);
    // In this very turn: put back into the socket, they would come behind bytes that the runtime gives to node:http's parser past it.
    socket.emit("data", seen);
  };
  const timer = setTimeout(drop, front.patience);
  socket.on("data", look);
  socket.on("end", drop);
  socket.on("error", drop);
  socket.on("close", leave);
}

/** Adds a piece behind the `held` bytes of a buffer, which grows by doubling: a head may come byte by byte. */
function appendPiece(room: Buffer, held: number, piece: Buffer): Buffer {
  if (held + piece.length > room.length) {
    const wider = Buffer.allocUnsafe(2 * (held + piece.length));
    room.copy(wider, 0, 0, held);
    room = wider;
  }
  piece.copy(room, held);
  return room;
}

/** Whether a first byte may begin a request: what does not (TLS, say) is refused by node:http without waiting for more. */
function startsLikeHTTP(seen: Buffer): boolean {
  return (seen[0] >= 65 && seen[0] <= 90) || seen[0] === 13 || seen[0] === 10;
}

function judgeHead(seen: Buffer, end: number, hijacks: Hijacks | undefined): RawRequest | undefined {
  const text = seen.toString("latin1", 0, end);
  const line = /^([A-Z]+) ([^ ?]+)/.exec(text);
  if (line === null) return undefined;
  if (!/\r\nupgrade:[ \t]*tcp[ \t]*\r\n/i.test(text) && !hijacks?.(line[1], line[2])) return undefined;
  const head = parseHead(text);
  return head && { head, before: [seen.subarray(end)] };
}
