/** The generated client's readers of lines and of server-sent events. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { api, chan, rest } from "../../../lib/rest/mod.ts";
import { clientModule } from "../../../lib/rest/surfaces.ts";

const words = api("x", { Words: rest("GET /words", [], [chan(z.string())]) });
const { connect } = await import(`data:text/javascript,${encodeURIComponent(clientModule(words))}`);

/** The values of a body that comes in these pieces: as events, or as lines. */
async function read(pieces: Iterable<Uint8Array>, isEvents = true): Promise<string[]> {
  const iterator = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const type = isEvents ? "text/event-stream" : "application/x-ndjson";
  const response = new Response(body, { headers: { "content-type": type } });
  const channel = await connect("http://x", { fetch: () => Promise.resolve(response) }).Words({ events: isEvents });
  return await Array.fromAsync(channel as AsyncIterable<string>);
}

Deno.test("clientModule() reads what the standard of events allows, however it is cut into pieces", async () => {
  const text = ': comment\r\nid: 1\rdata: \r\ndata:"ab"\n\nevent: x\ndata: "not a message"\n\n' +
    'retry: 20\nid:2\nunknown: y\ndata\ndata:  "é: c"\r\rdata: "d"\r\n\r\nevent: end\ndata\n\n';
  const whole = new TextEncoder().encode(text);
  for (let size = 1; size <= whole.length; size++) {
    const pieces = Array.from(
      { length: Math.ceil(whole.length / size) },
      (_, i) => whole.slice(i * size, (i + 1) * size),
    );
    assertEquals(await read(pieces), ["ab", "é: c", "d"], `in pieces of ${size} bytes`);
  }
});

Deno.test("clientModule() reads a long value in a time that grows with its length", async () => {
  const length = 32 * 1024 * 1024;
  const encoder = new TextEncoder();
  const piece = encoder.encode("x".repeat(16 * 1024));
  const pieces = function* (before: string, after: string) {
    yield encoder.encode(before);
    for (let left = length / piece.length; left > 0; left--) yield piece;
    yield encoder.encode(after);
  };
  const lengths = (texts: string[]) => texts.map((text) => text.length);
  assertEquals(lengths(await read(pieces('data: "', '"\n\nevent: end\ndata\n\n'))), [length]);
  assertEquals(lengths(await read(pieces('"', '"\n'), false)), [length]);
});
