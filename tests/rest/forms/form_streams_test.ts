import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  chan,
  DefinitionError,
  handler,
  HTTPError,
  implement,
  int64,
  link,
  namePart,
  type PartialFunctions,
  partOf,
  rest,
  stream,
} from "../../../lib/rest/mod.ts";
import { makeDeferred } from "../../../lib/rest/run/deferred.ts";

const album = api("x", {
  Add: rest("POST(multipart/form-data) /photos (title,thumb,file)", [z.string(), z.file().optional(), stream()], [
    z.string(),
  ]),
  Pair: rest("POST(multipart/form-data) /pairs (first,second)", [stream(), stream("image/png")], [z.string()]),
  Copy: rest("POST(multipart/form-data) /copies (file)", [stream()], [stream()]),
});

const text = async (body: ReadableStream) => await new Response(body).text();

/** A request with a form of these parts, whose body is pulled piece by piece. */
function formRequest(path: string, pieces: Iterable<string> | AsyncIterable<string>, boundary = "x"): Request {
  const encoder = new TextEncoder();
  const iterator = (async function* () {
    for await (const piece of pieces) yield encoder.encode(piece);
  })();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return();
    },
  }, { highWaterMark: 0 });
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return new Request(`http://h${path}`, { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

const part = (name: string, value: string, more = "") =>
  `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

/** Serves the album by functions of which some are given. */
function serveAlbum(
  functions: PartialFunctions<typeof album.operations>,
): (request: Request) => Promise<Response> {
  return handler(
    null,
    implement(album, {
      Add: async (title, thumb, file) => `${title} ${thumb?.size} ${partOf(file).filename} ${await text(file)}`,
      Pair: async (first, second) => `${await text(first)}|${await text(second)} ${partOf(second).type}`,
      Copy: (file) => file,
      ...functions,
    }),
    { onError() {} },
  );
}

const answerOf = async (response: Response) => `${response.status} ${await response.text()}`;

Deno.test("stream() in a form carries files of any source both ways", async () => {
  const client = link(album, "http://h", { fetch: serveAlbum({}) });
  async function* pieces() {
    yield "one ";
    yield new TextEncoder().encode("two");
  }
  const thumb = new File(["abc"], "thumb");
  assertEquals(await client.Add("a\r\n", thumb, pieces()), "a\r\n 3 file one two");
  assertEquals(await client.Add("a", undefined, "text"), "a undefined file text");
  assertEquals(await client.Add("a", undefined, new TextEncoder().encode("é")), "a undefined file é");
  assertEquals(await client.Add("a", thumb, new File(["x"], 'se"a\r\n.png')), 'a 3 se"a\r\n.png x');
  const named = namePart(new Blob(["y"]).stream(), { filename: 'b"\r\n', type: "a/b" });
  assertEquals(await client.Add("a", undefined, named), 'a undefined b"\r\n y');
  assertEquals(await client.Pair("1", pieces()), "1|one two image/png");
  assertEquals(await client.Pair(pieces(), new Blob(["2"], { type: "text/x" })), "one two|2 text/x");
  assertEquals(await text(await client.Copy(pieces())), "one two");
});

Deno.test("a streamed part of a form begins before it has come, and is read no faster than its stream", async () => {
  const begun = makeDeferred<string>();
  const go = makeDeferred<void>();
  const run = serveAlbum({
    async Add(title, _thumb, file) {
      begun.resolve(title);
      await go.promise;
      return await text(file);
    },
  });
  let sent = 0;
  const answer = run(formRequest(
    "/photos",
    (function* () {
      yield part("title", "a");
      yield `--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n`;
      for (; sent < 100; sent++) yield "0123456789".repeat(100);
      yield "\r\n--x--\r\n";
    })(),
  ));
  assertEquals(await begun.promise, "a");
  assert(sent < 5, `${sent} pieces were read for nobody`);
  go.resolve();
  assertEquals((await (await answer).text()).length, 100_000);
});

Deno.test("a form with streamed parts answers 400 for what is out of order, and says what would be right", async () => {
  const run = serveAlbum({});
  const post = async (path: string, ...pieces: string[]) => await answerOf(await run(formRequest(path, pieces)));
  const behind = await post("/photos", part("title", "a"), part("file", "b"), part("thumb", "c"), "--x--");
  assertStringIncludes(behind, "400");
  assertStringIncludes(
    behind,
    `\\"thumb\\" comes behind the streamed part \\"file\\": fields come first, then \\"file\\"`,
  );
  const first = await post("/photos", part("file", "b"), part("title", "a"), "--x--");
  assertStringIncludes(first, "400");
  assertStringIncludes(
    first,
    `\\"title\\": it is missing: the fields of a form come before its streamed part \\"file\\"`,
  );
  assertStringIncludes(await post("/photos", part("title", "a"), "--x--"), `the streamed part \\"file\\" is missing`);
  assertStringIncludes(await post("/pairs", part("first", "a"), "--x--"), `the streamed part \\"second\\" is missing`);
  assertStringIncludes(await post("/pairs", part("second", "a"), "--x--"), `then \\"first\\", then \\"second\\"`);
  const between = await post("/pairs", part("first", "a"), part("b", "c"), part("second", "a"), "--x--");
  assertStringIncludes(between, `\\"b\\" comes behind the streamed part \\"first\\"`);
  const twice = await post("/photos", part("title", "a"), part("file", "b"), part("file", "c"), "--x--");
  assertStringIncludes(twice, `\\"file\\" comes behind`);
  const json = { method: "POST", body: '{"title":"a","file":"b"}', headers: { "content-type": "application/json" } };
  assertStringIncludes(await answerOf(await run(new Request("http://h/photos", json))), "400");
});

Deno.test("a form with streamed parts is bounded in all of its parts", async () => {
  const limited = api("x", {
    Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string().optional(), stream()], [z.int()], {
      limit: 6 << 20,
    }),
  });
  const run = handler(null, implement(limited, { Add: async (_, file) => (await text(file)).length }), {
    onError() {},
  });
  const post = async (pieces: Iterable<string>, boundary?: string) =>
    await answerOf(await run(formRequest("/photos", pieces, boundary)));
  const many = (count: number) => Array(count).fill("0123456789abcdef".repeat(4096));
  const open = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
  assertEquals(await post([open("file"), ...many(64), "\r\n--x--"]), `200 ${64 << 16}`);
  // The whole form, a field before the stream, one of many fields, a head, and a boundary.
  assertStringIncludes(await post([open("file"), ...many(100), "\r\n--x--"]), "413");
  const held = await post([open("title"), ...many(65), `\r\n${part("file", "")}--x--`]);
  assertStringIncludes(held, `413`);
  assertStringIncludes(held, `what comes before \\"file\\" is larger than 4194304 bytes`);
  const parts = (function* () {
    for (let i = 0; i < 70_000; i += 100) yield part(`f${i}`, "").repeat(100);
    yield "--x--";
  })();
  assertStringIncludes(await post(parts), "400");
  assertStringIncludes(await post([`--x\r\n${"a: b\r\n".repeat(4000)}\r\n`]), "is longer than 16384 bytes");
  assertStringIncludes(
    await post([`--${"b".repeat(71)}--`], "b".repeat(71)),
    "the boundary has more than 70 characters",
  );
  assertStringIncludes(await post(["--x--"], '""'), "the type has no boundary");
  assertStringIncludes(await post([""]), "it ends before its last boundary");
  // A name that is no field is held as others are, and does nothing.
  assertEquals(await post([part("__proto__", "1"), part("file", "ab"), "--x--"]), "200 2");
});

Deno.test("the stream of a form that breaks off fails, and never looks whole", async () => {
  const seen: unknown[] = [];
  const run = serveAlbum({
    async Add(_title, _thumb, file) {
      return await text(file).catch((error) => {
        seen.push(error);
        throw error;
      });
    },
  });
  const open = `${part("title", "a")}--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n`;
  assertStringIncludes(await answerOf(await run(formRequest("/photos", [open, "half"]))), "it ends before its last");
  const broken = (function* () {
    yield open;
    yield "half";
    throw new Error("reset");
  })();
  assertStringIncludes(await answerOf(await run(formRequest("/photos", broken))), "it was cut short");
  assertEquals(seen.map((error) => error instanceof HTTPError && error.status), [400, 400]);
});

Deno.test("the rest of a form is cancelled when its function has ended, failed or cancelled its last stream", async () => {
  const endings: Record<string, (file: ReadableStream) => string> = {
    "returns": () => "early",
    "throws": () => {
      throw new HTTPError(422, "No photo");
    },
    "cancels": (file) => {
      file.cancel();
      return "early";
    },
  };
  for (const [name, end] of Object.entries(endings)) {
    const cancelled = makeDeferred<string>();
    const run = serveAlbum({ Add: (_title, _thumb, file) => end(file) });
    const answer = await run(formRequest(
      "/photos",
      (function* () {
        try {
          yield part("title", "a");
          yield `--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n`;
          for (;;) yield "more";
        } finally {
          cancelled.resolve(name);
        }
      })(),
    ));
    assertEquals([answer.status, await cancelled.promise], [name === "throws" ? 422 : 200, name]);
    await answer.body?.cancel();
  }
});

Deno.test("a form that comes back as a stream lasts as long as that, and ends with it", async () => {
  const cancelled = makeDeferred<void>();
  let left = 3;
  const client = link(album, "http://h", { fetch: serveAlbum({}) });
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Uint8Array.of(left--)),
    cancel: () => cancelled.resolve(),
  }, { highWaterMark: 0 });
  const reader = (await client.Copy(source)).getReader();
  assertEquals((await reader.read()).value, Uint8Array.of(3));
  await reader.cancel();
  await cancelled.promise;
});

Deno.test("a form lasts as long as a response that its function makes itself of a part", async () => {
  const run = handler(
    null,
    implement(album, {
      Add: (_title, _thumb, file) => new Response(file) as unknown as string,
      Pair: () => "",
      Copy: (file) => new Response(file) as unknown as ReadableStream<Uint8Array>,
    }),
  );
  const whole = "0123456789".repeat(10_000);
  const photo = await run(formRequest("/photos", [part("title", "a"), part("file", whole), "--x--"]));
  assertEquals(await answerOf(photo), `200 ${whole}`);
  assertEquals(await answerOf(await run(formRequest("/copies", [part("file", whole), "--x--"]))), `200 ${whole}`);
});

Deno.test("several streams of a form are read in order, passed over when cancelled, and never wait for ever", async () => {
  const order = async (pair: (first: ReadableStream, second: ReadableStream) => Promise<string>) => {
    const run = serveAlbum({ Pair: pair });
    const pieces = [part("first", "1".repeat(100)), part("second", "2"), "--x--"];
    return await answerOf(await run(formRequest("/pairs", pieces)));
  };
  assertEquals(
    await order(async (first, second) => (await Promise.all([first, second].map(text))).join("|")),
    `200 ${"1".repeat(100)}|2`,
  );
  assertEquals(
    await order(async (first, second) => {
      await first.cancel();
      return await text(second);
    }),
    "200 2",
  );
  assertEquals(
    await order(async (first, second) => {
      const reader = first.getReader();
      const pending = reader.read();
      await reader.cancel();
      await pending;
      return await text(second);
    }),
    "200 2",
  );
  assertEquals(
    await order(async (first, second) => {
      await second.cancel();
      return `${(await text(first)).length}`;
    }),
    "200 100",
  );
  let message = "";
  await order(async (_first, second) => {
    message = await text(second).catch((error) => String(error));
    return "";
  });
  assertEquals(message, 'TypeError: Read "second": "first" comes before it in the form: read or cancel that first');
});

Deno.test("pieces of a streamed part may be given away with their buffer", async () => {
  const run = serveAlbum({
    async Pair(first, second) {
      const lengths: number[] = [];
      for (const body of [first, second]) {
        let length = 0;
        for await (const piece of body) {
          length += piece.length;
          // As a byte stream does with what it is given.
          structuredClone(piece, { transfer: [piece.buffer as ArrayBuffer] });
        }
        lengths.push(length);
      }
      return lengths.join();
    },
  });
  const whole = part("first", "1".repeat(1000)) + part("second", "2".repeat(500)) + "--x--";
  assertEquals(await answerOf(await run(formRequest("/pairs", [whole]))), "200 1000,500");
  const bytes = [...whole].map((_, index) => index % 7 === 0 ? whole.slice(index, index + 7) : "");
  assertEquals(await answerOf(await run(formRequest("/pairs", bytes.filter(Boolean)))), "200 1000,500");
});

Deno.test("a proxy passes the streams of a form on, with their names", async () => {
  const inner = serveAlbum({});
  const outer = handler(null, link(album, "http://inner", { fetch: inner }));
  const client = link(album, "http://outer", { fetch: outer });
  async function* pieces() {
    yield "one";
  }
  const named = namePart(new Blob(["y"]).stream(), { filename: "b.png", type: "image/png" });
  assertEquals(await client.Add("a", new File(["abc"], "t"), named), "a 3 b.png y");
  assertEquals(await client.Pair(pieces(), pieces()), "one|one image/png");
});

Deno.test("a client of a form with streams says what it cannot send", async () => {
  const fetch = () => Promise.reject(new Error("nothing is to be sent"));
  const client = link(album, "http://h", { fetch });
  const missing = undefined as unknown as string;
  await assertRejects(
    () => client.Add("a", undefined, missing),
    TypeError,
    'Write "file" into the form: it is missing',
  );
  const { Request: Own } = globalThis;
  // A runtime that makes a text of a stream, as Firefox does.
  globalThis.Request = class extends Own {
    constructor(url: string, { body, ...init }: RequestInit = {}) {
      super(url, { ...init, body: body instanceof ReadableStream ? String(body) : body });
    }
  } as typeof Request;
  try {
    const message = 'Write "file" into the form: this runtime sends no body piece by piece: pass a Blob, bytes or text';
    await assertRejects(() => client.Add("a", undefined, new Blob().stream()), TypeError, message);
    let sent = "";
    const blobs = link(album, "http://h", {
      fetch: async (request) => new Response(sent = await request.text(), { status: 204 }),
    });
    await blobs.Add("a", undefined, new Blob(["whole"])).catch(() => {});
    assertStringIncludes(sent, "whole");
  } finally {
    globalThis.Request = Own;
  }
});

Deno.test("a definition refuses streams in a form that could not be read", () => {
  const refuse = (tag: string, args: Parameters<typeof rest>[1], text: string) => {
    const { message } = assertThrows(() => api("x", { F: rest(tag, args) }), DefinitionError);
    assertStringIncludes(message, text);
  };
  refuse("POST(multipart/form-data) /x (file,title)", [stream(), z.string()], "the streams of a form are its last");
  refuse("POST /x (file)", [stream()], "no field of JSON: only a form");
  refuse("POST(application/x-www-form-urlencoded) /x (file)", [stream()], "no field of application/x-www-form");
  refuse("POST(multipart/form-data) /x", [z.string(), stream()], "takes the whole body");
  refuse("POST(multipart/form-data) /x (title,values)", [z.string(), chan(int64)], "takes the whole body");
  assertThrows(() => api("x", { F: rest("GET /x name" as string, [], [stream()]) }), DefinitionError, "no field of it");
  const [raw] = api("x", { Raw: rest("POST(multipart/form-data) /x", [stream()]) }).plans;
  const [form] = api("x", { Form: rest("POST(multipart/form-data) /x (file)", [stream()]) }).plans;
  assertEquals([raw.body?.shape, form.body?.shape, raw.limit, form.limit], ["stream", "fields", 1 << 30, 1 << 30]);
});
