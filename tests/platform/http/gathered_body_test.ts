import { assert, assertEquals } from "@std/assert";
import type { IncomingMessage } from "node:http";
import { EventEmitter } from "node:events";
import { requestBody } from "../../../lib/platform/http/exchange/node_request.ts";
import { IdleWatch } from "../../../lib/platform/http/idle_watch.ts";

/** A message whose pieces all come in one turn. The memory of those that `isOver` names is written over as soon as they have been told. */
class PiecesAtOnce extends EventEmitter {
  readonly rawHeaders: string[] = [];
  #pieces: readonly string[];
  readonly #isOver: (place: number) => boolean;

  constructor(pieces: readonly string[], isOver: (place: number) => boolean) {
    super();
    this.#pieces = pieces;
    this.#isOver = isOver;
  }

  resume(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    for (const [place, text] of pieces.entries()) {
      const piece = new TextEncoder().encode(text);
      this.emit("data", piece);
      if (this.#isOver(place)) piece.fill(0);
    }
    this.emit("end");
  }

  pause(): void {}
}

async function readPieces(pieces: readonly string[], isOver = (_place: number) => false): Promise<string[]> {
  // The body asks a message for no more than this.
  const message = new PiecesAtOnce(pieces, isOver) as unknown as IncomingMessage;
  const read: string[] = [];
  for await (const piece of requestBody(message, new IdleWatch(60_000))) read.push(new TextDecoder().decode(piece));
  return read;
}

Deno.test("requestBody() keeps none of many small pieces, but copies them together as they come", async () => {
  const letters = Array.from({ length: 150_000 }, (_, i) => String.fromCharCode(97 + i % 26));
  // The first piece of each 64 KiB is kept as it came.
  const read = await readPieces(letters, (place) => place % 65_536 !== 0);
  assertEquals(read.map((piece) => piece.length), [65_536, 65_536, 150_000 - 131_072]);
  assert(read.join("") === letters.join(""));
});

Deno.test("requestBody() puts a large piece behind a small one, and leaves none out", async () => {
  for (const sizes of [[1, 5000], [1, 70_000, 1], [4095, 1, 4096, 3], [3, 0, 2], [100_000]]) {
    const pieces = sizes.map((size, i) => String(i).repeat(size));
    const read = await readPieces(pieces);
    assert(read.join("") === pieces.join(""), String(sizes));
  }
});
