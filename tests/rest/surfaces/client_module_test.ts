import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  basic,
  chan,
  failureOf,
  handler,
  HTTPError,
  implement,
  implementPart,
  int64,
  link,
  namespace,
  rest,
} from "../../../lib/rest/mod.ts";
import { xml } from "../../../lib/rest/codecs/xml.ts";
import { clientModule, clientTypes, surfaces } from "../../../lib/rest/surfaces.ts";
import { breakOff, serveShop, shop, TOKEN } from "../../fixtures/rest/shop.ts";

/** The module as whoever imports it sees it: nothing is known of its functions' types here. */
// deno-lint-ignore no-explicit-any -- generated text has no types in the module that imports it as data
type Imported = Record<string, any>;

function imported(text: string): Promise<Imported> {
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

const { connect, APIError } = await imported(clientModule(shop));
const client = connect("http://shop", { fetch: serveShop() });

Deno.test("clientModule() needs nothing from elsewhere", () => {
  const text = clientModule(shop);
  assertEquals(/^\s*import\b|\bimport\s*\(/m.test(text), false);
  assert(text.length < 40_000, `${text.length} characters`);
});

Deno.test("clientModule() calls operations with values that JSON cannot say", async () => {
  assertEquals(await client.Add(9007199254740993n, 1n), 9007199254740994n);
  assertEquals(await client.Later(new Date("2026-01-01T00:00:00Z")), new Date("2026-01-01T00:00:01Z"));
  const digest = await client.Digest(new TextEncoder().encode("abc"));
  assertInstanceOf(digest, Uint8Array);
  assertEquals([...digest].slice(0, 4), [0xba, 0x78, 0x16, 0xbf]);
  const item = await client.GetItem("a/b ü");
  assertEquals([item.id, item.stock, item.added], ["a/b ü", 9007199254740993n, new Date("2026-11-21T10:00:00Z")]);
  assertEquals((await client.ReplaceItem({ ...item, title: "new" })).title, "new");
});

Deno.test("clientModule() spreads structs and maps over the query, and sends constants", async () => {
  const search = { text: "a&b=c", tag: ["x", "y z"], cheap: false, limit: 5, price: { from: 0 } };
  const [found] = await client.SearchItems(search);
  assertEquals(JSON.parse(found.id), search);
  assertEquals(await client.Labels({ a: "1", "b c": "2&3" }), { a: "1", "b c": "2&3" });
  assertEquals(await client.ByKind("q"), "item q");
  assertEquals(await client.ByShelf("q"), "shelf q");
});

Deno.test("clientModule() makes bodies and results of several values", async () => {
  assertEquals(await client.RenameItem("key", "title"), "key: title");
  assertEquals(await client.SplitName("Ann"), ["A", "nn"]);
  assertEquals(await client.MoveItems(["x", "y"], "b"), true);
  assertEquals(await client.Divide(17n, 5n), [3n, 2n, undefined]);
  const files = ["one", "two"].map((text) => new File([text], `${text}.txt`));
  assertEquals(await client.SendPictures("7", { title: "Lamp", tags: ["old", "brass"], front: true, files }), [
    "7",
    "Lamp",
    "old+brass",
    "true",
    "one.txt: one",
    "two.txt: two",
  ]);
  const picture = await client.Picture("9");
  assertEquals([picture.title, picture.front, picture.tags], ["9", true, ["one"]]);
  assertEquals([picture.files[0].name, await picture.files[0].text()], ["a.txt", "bytes"]);
  assertEquals((await client.CreateItem({ title: "t", price: 1 })).state, "new");
});

Deno.test("defect: clientModule() sends JSON where the tag says a type that it cannot write, such as XML", async () => {
  const Note = z.object({ to: z.string(), tags: z.array(z.string()) });
  const types: unknown[] = [];
  const notes = api("http://x", {
    Add: rest("POST(application/xml) /notes", [Note], [Note]),
    Say: rest("POST(text/plain) /words", [z.string()], [z.string()]),
    Tag: rest("POST(application/x-www-form-urlencoded) /tags", [Note], [Note]),
    Read: rest("GET(application/xml) /notes", [], [Note]),
  }, { codecs: [xml()] });
  const note = { to: "<Ann>", tags: ["a"] };
  const functions = {
    Add: (value: typeof note) => value,
    Say: (word: string) => word,
    Tag: (value: typeof note) => value,
  };
  const serve = handler(null, implement(notes, { ...functions, Read: () => note }));
  const fetch = (request: Request) => {
    types.push(request.headers.get("content-type"));
    return serve(request);
  };
  const calls = (await imported(clientModule(notes))).connect("http://x", { fetch });
  assertEquals([await calls.Add(note), await calls.Say("hi"), await calls.Tag(note)], [note, "hi", note]);
  assertEquals(types, ["application/json", "text/plain", "application/x-www-form-urlencoded"]);
  // It reads none either, and its types say so.
  assertStringIncludes(await calls.Read(), "<to>&lt;Ann&gt;</to>");
  assertStringIncludes(clientTypes(notes), "Read(options?: CallOptions): Promise<string>;");
});

Deno.test("clientModule() streams both ways", async () => {
  const pieces = async function* () {
    yield "é ";
    yield await Promise.resolve(new TextEncoder().encode("two"));
  };
  assertEquals(await client.WriteFile("pieces.txt", pieces()), 6n);
  const body = new Blob(["one ", "two"]).stream();
  assertEquals(await client.WriteFile("deep/down/file.txt", body), 7n);
  assertEquals(await new Response(await client.ReadFile("deep/down/file.txt")).text(), "one two");
});

Deno.test("clientModule() tells failures with status and body, as the definition says", async () => {
  const failure = await assertRejects(() => client.GetItem("none"), Error, `Get item "none": there is none`);
  assertInstanceOf(failure, APIError);
  assertEquals((failure as unknown as { status: number }).status, 404);
  assertEquals((await client.DeleteItem("none")).message, `Delete item "none": there is none`);
  assertEquals(await client.DeleteItem("some"), undefined);
  const [quotient, , divided] = await client.Divide(1n, 0n);
  assertEquals([quotient, divided.status], [undefined, 422]);
  assertEquals((await assertRejects(() => client.delete(), Error) as unknown as { status: number }).status, 501);
});

Deno.test("clientModule() types the errors that an operation declares, and tells them apart", async () => {
  const Taken = z.object({ owner: z.string(), until: z.date(), n: z.bigint() });
  const locks = api("http://x", {
    Take: rest("POST /locks/{name=%v} !404 !409(Taken)", [z.string()], [z.string()], { errors: { Taken } }),
  });
  const run = handler(
    null,
    implement(locks, {
      Take(name) {
        if (name === "mine") return "yours";
        if (name === "none") return failureOf(404, "Take: there is none");
        if (name === "odd") throw new HTTPError(418, "Take: a pot");
        return failureOf(409, "Take: it is taken", { owner: "ann", until: new Date(0), n: 2n ** 60n });
      },
    }),
  );
  const folder = await Deno.makeTempDir();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => run(request));
  try {
    await Deno.writeTextFile(`${folder}/client.js`, clientModule(locks));
    await Deno.writeTextFile(`${folder}/client.d.ts`, clientTypes(locks));
    const use = `import { APIError, connect, outcomeOf, type Taken } from "./client.js";
const client = connect("http://127.0.0.1:${server.addr.port}");
const told: string[] = [];
for (const name of ["mine", "none", "taken", "odd"]) {
  const outcome = await outcomeOf(client.Take(name));
  if (outcome.ok) told.push(outcome.value.toUpperCase());
  else if (outcome.status === 409) {
    const { owner, until, n }: Taken = outcome.error.body;
    told.push(owner + until.getTime() + (n + 1n));
  } else if (outcome.status === 404) told.push(outcome.error.message);
  else told.push(String(outcome.error instanceof APIError && outcome.error.status));
}
console.log(told.join());
async () => {
  const outcome = await outcomeOf(client.Take("x"));
  // @ts-expect-error it declares no such error
  if (outcome.status === 410) return;
  // @ts-expect-error an error that is not declared has no owner
  if (!outcome.ok && outcome.status === 404) outcome.error.body.owner;
};
`;
    await Deno.writeTextFile(`${folder}/use.ts`, use);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--check", "--no-lock", "--no-config", `${folder}/use.ts`],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(new TextDecoder().decode(stdout).trim(), `YOURS,Take: there is none,ann0${2n ** 60n + 1n},418`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("clientModule() refuses path values that would become another path", async () => {
  for (const bad of ["..", ".", ""]) await assertRejects(() => client.GetItem(bad), TypeError);
  for (const bad of ["a/../b", "a?b", "a#b", ""]) await assertRejects(() => client.ReadFile(bad), TypeError);
});

Deno.test("clientModule() reads a channel until it ends, is left or fails", async () => {
  const ids: string[] = [];
  for await (const item of await client.Watch(3)) ids.push(item.id + typeof item.stock);
  assertEquals(ids, ["0bigint", "1bigint", "2bigint"]);
  for await (const item of await client.Watch(1000)) if (item.id === "1") break;
  const closed = await client.Watch(1000);
  closed.close();
  assertEquals((await closed.next()).done, true);
  const failing = await client.Watch(20);
  let seen = 0;
  await assertRejects(async () => {
    for await (const _ of failing) seen++;
  });
  assertEquals(seen, 13);
});

Deno.test("clientModule() nests functions as the definition does", async () => {
  assertEquals(await client.Stock.Level("abc"), 3n);
  const { Stock } = await imported(clientModule(shop));
  assertEquals(Object.keys(Stock), ["Level", "Follow"]);
  assertStringIncludes(
    clientTypes(shop),
    "  Stock: {\n    /** How many there are. */\n    Level(id: string, options?: CallOptions): Promise<bigint>;",
  );
});

Deno.test("clientModule() keeps a function apart from a namespace of the same name", async () => {
  const one = api("http://x", { Orders: rest("GET /orders", [], [z.string()]) });
  const other = api("http://x", { Orders: namespace({ name: rest("GET /orders/name", [], [z.string()]) }) });
  const serve = handler(null, [
    implement(one, { Orders: () => "all" }),
    implement(other, { Orders: { name: () => "name" } }),
  ]);
  for (const definitions of [[one, other], [other, one]]) {
    const { connect } = await imported(clientModule(definitions));
    const { Orders } = connect("http://x", { fetch: serve });
    assertEquals([await Orders(), await Orders.name()], ["all", "name"]);
    assertMatch(clientTypes(definitions), /Orders: \{\n\s+\(options\?: CallOptions\): Promise<string>;/);
  }
});

Deno.test("clientModule() goes on with events where the connection broke off, and gives up in the end", async () => {
  const read = async (fetch: unknown, options: unknown = { events: true }) => {
    const seen: unknown[] = [];
    for await (const n of await connect("http://shop", { fetch }).Stock.Follow(6, options)) seen.push(n);
    return seen.join();
  };
  assertEquals(await read(breakOff(serveShop(), 2)), "1,2,3,4,5,6");
  assertEquals(await read(serveShop(), { events: true, headers: { "last-event-id": "4" } }), "5,6");
  let asked = 0;
  const dies = breakOff(serveShop(), 1);
  await assertRejects(
    () => read((request: Request) => asked++ === 0 ? dies(request) : Promise.reject(new TypeError("it is off"))),
    TypeError,
    "it is off",
  );
  assertEquals(asked, 6);
});

Deno.test("clientModule() ends a call by signal or timeout, and sends headers", async () => {
  const guarded = serveShop({ guarded: true });
  const stranger = connect("http://shop", { fetch: guarded });
  await assertRejects(() => stranger.Add(1n, 2n), Error, "a bearer token is required");
  const known = connect("http://shop", { fetch: guarded, headers: { authorization: `Bearer ${TOKEN}` } });
  assertEquals(await known.Add(1n, 2n), 3n);
  assertEquals(await stranger.Add(1n, 2n, { headers: { authorization: `Bearer ${TOKEN}` } }), 3n);
  const never = connect("http://shop", {
    fetch: ({ signal }: Request) =>
      new Promise((_, reject) => {
        if (signal.aborted) return reject(signal.reason);
        // As a socket would, this keeps the program from ending.
        const alive = setTimeout(() => {}, 10_000);
        signal.addEventListener("abort", () => {
          clearTimeout(alive);
          reject(signal.reason);
        });
      }),
  });
  await assertRejects(() => never.Add(1n, 2n, { timeout: 5 }), DOMException);
  await assertRejects(() => never.Add(1n, 2n, { signal: AbortSignal.abort(new Error("left")) }), Error, "left");
});

Deno.test("clientModule() exports reserved words, and reaches what is no name through connect", async () => {
  const definition = api("http://x", {
    delete: rest("GET /a", [], [z.string()]),
    values: rest("GET /b", [], [z.string()]),
    "two words": rest("GET /c", [], [z.string()]),
    connect: rest("GET /d", [], [z.string()]),
  });
  const module = await imported(clientModule(definition));
  assertEquals(typeof module.delete, "function");
  assertEquals(typeof module.values, "function");
  const serve = handler(null, implementPart(definition, { "two words": () => "c", connect: () => "d" }));
  const client = module.connect("x", { fetch: serve });
  assertEquals([await client["two words"](), await client.connect()], ["c", "d"]);
});

Deno.test("defect: clientModule() works for operations named as what its own text needs, types and all", async () => {
  const names =
    ("Error Date Request Response Promise fetch Array Object String Number Math URL Headers JSON Map Set BigInt Uint8Array " +
      "TypeError AbortSignal AbortController ReadableStream WebSocket TextDecoder FormData Blob File Symbol globalThis Client Channel Bytes " +
      "CallOptions ConnectOptions client channels origin operations structs makeClient Thing").split(" ");
  const Thing = z.object({ id: z.bigint(), at: z.date(), request: z.string().optional() }).meta({ id: "Thing" });
  const Taken = z.object({ id: z.string() }).meta({ id: "Request" });
  const definition = api("http://x", {
    ...Object.fromEntries(names.map((name) => [name, rest(`GET /${name}?n=%v` as string, [int64], [Thing])])),
    Take: rest("POST /take", [Taken], [Taken]),
    Ticks: rest("GET /ticks", [], [chan(int64)]),
    Fail: rest("GET /fail", [], [z.string()]),
  });
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/client.js`, clientModule(definition));
    await Deno.writeTextFile(`${folder}/client.d.ts`, clientTypes(definition));
    const use = `import * as all from "./client.js";
import { connect, Error as Failure, fetch as get, Take } from "./client.js";
const at = new Date(0);
const fetch = (request: Request) => Promise.resolve(
  request.url.endsWith("/fail")
    ? Response.json({ detail: "as asked" }, { status: 409 })
    : request.url.endsWith("/ticks")
    ? new Response("1\\n9007199254740993\\n")
    : Response.json({ id: 1, at }),
);
const client = connect("http://x", { fetch });
const results: bigint[] = [];
for (const name of ${JSON.stringify(names)} as "Error"[]) {
  const thing: all.Thing = await client[name](1n);
  if (typeof all[name] !== "function" || thing.at.getTime() !== 0) throw new TypeError(name);
  results.push(thing.id);
}
for await (const tick of await client.Ticks()) results.push(tick);
const failure = await client.Fail().catch((error) => error);
console.log(results.length, results.at(-1), failure instanceof all.APIError && failure instanceof Error, failure.status);
// @ts-expect-error a number is needed
const wrong = [() => Failure("a"), () => get("a"), () => Take({ id: 1 })];
void wrong;
`;
    await Deno.writeTextFile(`${folder}/use.ts`, use);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--check", "--no-lock", "--no-config", `${folder}/use.ts`],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(new TextDecoder().decode(stdout).trim(), `${names.length + 2} 9007199254740993n true 409`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("clientModule() is imported over HTTP, types and all, by a program that has to compile", async () => {
  const serve = serveShop();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => serve(request));
  const folder = await Deno.makeTempDir();
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    await Deno.writeTextFile(
      `${folder}/use.ts`,
      `import shop, { Add, APIError, connect, Divide, type Item, ReadFile, SearchItems, Stock, Watch } from "${origin}/client.js";
const sum: bigint = await Add(1n, 2n);
const found: Item[] = await SearchItems({ text: "x", state: "used" });
const [quotient, , failure]: [bigint | undefined, bigint | undefined, Error | undefined] = await Divide(1n, 0n);
const file: ReadableStream<Uint8Array> = await ReadFile("notes/today.txt");
let count = 0;
for await (const item of await Watch(2)) count += item.added.getTime() > 0 ? 1 : 0;
await shop.DeleteItem("1", { timeout: 1000 });
const level: bigint = await Stock.Level("abc");
for await (const n of await shop.Stock.Follow(2, { events: true })) count += n;
// @ts-expect-error a state is one of two words
const wrong = () => SearchItems({ state: "broken" });
// @ts-expect-error two arguments are needed
const few = () => Add(1n);
void [APIError, connect, wrong, few, quotient, level];
console.log(sum, found.length, found[0].state, failure?.message, await new Response(file).text(), count);
`,
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--check", "--no-lock", "--no-config", "--allow-net", "--allow-import", `${folder}/use.ts`],
      env: { DENO_DIR: `${folder}/cache`, NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(new TextDecoder().decode(stdout).trim(), "3n 1 new Divide by zero: it cannot be done hello 5");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("clientModule() names its types, which a copy of both files keeps", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/client.js`, clientModule(shop));
    await Deno.writeTextFile(`${folder}/client.d.ts`, clientTypes(shop));
    const use =
      `import { Stock } from "./client.js";\n// @ts-expect-error a name is text\nvoid (() => Stock.Level(1));\n`;
    await Deno.writeTextFile(`${folder}/use.ts`, use);
    const args = ["check", "--no-lock", "--no-config", `${folder}/use.ts`];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("clientTypes() says what each operation takes and gives", () => {
  const text = clientTypes(shop);
  assertStringIncludes(text, "Add(a: bigint, b: bigint, options?: CallOptions): Promise<bigint>;");
  assertStringIncludes(text, "Watch(count: number, options?: CallOptions): Promise<Channel<Item>>;");
  assertStringIncludes(text, "DeleteItem(id: string, options?: CallOptions): Promise<Error | undefined>;");
  assertStringIncludes(text, "WriteFile(path: string, body: Bytes, options?: CallOptions): Promise<bigint>;");
  assertStringIncludes(
    text,
    "export type SendPicturesRequest = { title: string; tags?: string[]; front?: boolean; files: File[] };",
  );
  assertStringIncludes(text, "/** Made by the shop */ id: string");
});

Deno.test("surfaces() of an API behind basic authentication asks for a name and a password", async () => {
  const definition = api("x", { Add: rest("GET /sum?a=%v", [int64], [int64]) });
  const auth = basic((name, password) => name === "ann" && password === "secret" ? name : undefined);
  const page = await surfaces(definition, { auth })(new Request("http://h/", { headers: { accept: "text/html" } }));
  assertStringIncludes(await page.text(), 'id="page-password" type="password"');
});

Deno.test("defect: clientModule() writes several names in a segment, lists and maps as link() does", async () => {
  const Texts = z.record(z.string(), z.string());
  const odd = api("http://odd", {
    Two: rest("GET /a/{x=%v}-{y=%v}", [z.string(), z.string()], [z.array(z.string())]),
    List: rest("GET /list?l=%v", [z.array(z.string().nullable())], [z.array(z.string())]),
    Map: rest("GET /map?a=%v&%v", [z.string(), Texts], [z.string(), Texts]),
    Follow: rest("POST /follow", [z.string()], [chan(z.string())]),
  });
  const functions = implement(odd, {
    Two: (x, y) => [x, y],
    List: (list) => list.map(String),
    Map: (a, map) => [a, map],
    async *Follow(text) {
      yield text;
    },
  });
  const fetch = handler(null, functions);
  const made = (await imported(clientModule(odd))).connect("http://odd", { fetch });
  for (const client of [link(odd, "http://odd", { fetch }), made]) {
    assertEquals(await client.Two("a-b", "c-d"), ["a-b", "c-d"]);
    assertEquals(await client.List(["a", null, ""]), ["a", ""]);
    assertEquals(await client.Map("1", { a: "2", b: "3" }), ["1", { b: "3" }]);
    assertEquals(await Array.fromAsync(await client.Follow("x")), ["x"]);
    await assertRejects(async () => await client.Follow("x", { websocket: true }), TypeError, "over a WebSocket");
  }
});
