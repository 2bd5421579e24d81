/** An API with one of everything, and what serves it. */
import {
  api,
  bearer,
  bytes,
  chan,
  error,
  type Handler,
  handler,
  HTTPError,
  implement,
  int64,
  namespace,
  rest,
  stream,
  time,
} from "../../../lib/rest/mod.ts";
import { resumable } from "../../../lib/rest/events.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { z } from "../../../handlers/wire/zod.ts";

const Category = z.object({
  name: z.string(),
  get children() {
    return z.array(Category).optional();
  },
}).meta({ id: "Category" });

const Item = z.object({
  id: z.string().describe("Made by the shop"),
  title: z.string(),
  price: z.number().min(0),
  stock: z.bigint().describe("How many there are"),
  added: z.date(),
  state: z.enum(["new", "used"]),
  tags: z.array(z.string()).optional(),
  category: Category.optional(),
}).meta({ id: "Item" });

const Search = z.object({
  text: z.string().optional().describe("Words that must all be there"),
  state: z.enum(["new", "used"]).optional(),
  tag: z.array(z.string()).optional(),
  limit: z.int().min(1).max(100).optional(),
  cheap: z.boolean().optional(),
  price: z.object({ from: z.number().optional(), to: z.number().optional() }).optional(),
});

const NewItem = z.object({ title: z.string(), price: z.number(), state: z.enum(["new", "used"]).default("new") });

const Pictures = z.object({
  title: z.string(),
  tags: z.array(z.string()).optional(),
  front: z.boolean().optional(),
  files: z.array(z.file()),
});

/** The definition. */
export const shop = api("shop.example.com", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64], { description: "Adds two numbers, however large." }),
  SearchItems: rest("GET /items?%v", [Search], [z.array(Item)], { description: "Finds what is for sale." }),
  GetItem: rest("GET /items/{id=%v}", [z.string()], [Item]),
  CreateItem: rest("POST /items", [NewItem], [Item], { status: 201 }),
  ReplaceItem: rest("PUT /items/{id}", [Item], [Item]),
  RenameItem: rest("PATCH /items/{key=%v} (title)", [z.string(), z.string()], [z.string()]),
  DeleteItem: rest("DELETE /items/{id=%v}", [z.string()], [error]),
  SplitName: rest("GET /names/{name=%v}.json", [z.string()], [z.string(), z.string()]),
  Divide: rest("GET /divide?a=%v&b=%v quotient,remainder", [int64, int64], [int64, int64, error]),
  MoveItems: rest("POST /moves", [z.array(z.string()), z.string()], [z.boolean()]),
  ReadFile: rest("GET /files/{path*=%v}", [z.string()], [stream("text/plain")]),
  WriteFile: rest("PUT /files/{path*=%v}", [z.string(), stream()], [int64], { limit: 1024 * 1024 }),
  Digest: rest("POST /digest", [bytes], [bytes]),
  Later: rest("GET /later/{at=%v}", [time], [time]),
  ByKind: rest("GET /find?kind=item&q=%v", [z.string()], [z.string()]),
  ByShelf: rest("GET /find?kind=shelf&q=%v", [z.string()], [z.string()]),
  Labels: rest("GET /labels?%v", [z.record(z.string(), z.string())], [z.record(z.string(), z.string())]),
  Watch: rest("GET /watch?count=%v", [z.int().min(0)], [chan(Item)], { description: "Tells of items as they arrive." }),
  SendPictures: rest("POST(multipart/form-data) /pictures/{id=%v}", [z.string(), Pictures], [z.array(z.string())]),
  Picture: rest("GET(multipart/form-data) /pictures/{id=%v}", [z.string()], [Pictures]),
  Stock: namespace({
    Level: rest("GET /stock/{id=%v}/level", [z.string()], [int64], { description: "How many there are." }),
    Follow: rest("GET /stock/follow?to=%v", [z.int()], [chan(z.int())], { description: "Goes on where it broke off." }),
  }),
  delete: rest("DELETE /everything"),
}, { title: "Shop" });

const item = (id: string): z.output<typeof Item> => ({
  id,
  title: `Item ${id}`,
  price: 9.5,
  stock: 9007199254740993n,
  added: new Date("2026-11-21T10:00:00Z"),
  state: "new",
});

const files = new Map<string, Uint8Array>([["notes/today.txt", new TextEncoder().encode("hello")]]);

/** Functions that do it. */
export const shopFunctions = implement(shop, {
  Add: (a, b) => a + b,
  SearchItems: (search) => [item(JSON.stringify(search))],
  GetItem: (id) => {
    if (id === "none") throw new HTTPError(404, `Get item "${id}": there is none`);
    return item(id);
  },
  CreateItem: (made) => ({ ...item("7"), ...made }),
  ReplaceItem: (whole) => whole,
  RenameItem: (key, title) => `${key}: ${title}`,
  DeleteItem: (id) => {
    if (id === "none") throw new HTTPError(404, `Delete item "${id}": there is none`);
  },
  SplitName: (name) => [name.slice(0, 1), name.slice(1)],
  Divide: (a, b) => {
    if (b === 0n) throw new HTTPError(422, "Divide by zero: it cannot be done");
    return [a / b, a % b];
  },
  MoveItems: (ids, to) => ids.length === 2 && to === "b",
  ReadFile: (path) => {
    const found = files.get(path);
    if (found === undefined) throw new HTTPError(404, `Read "${path}": there is no such file`);
    return found;
  },
  WriteFile: async (path, body) => {
    const content = new Uint8Array(await new Response(body).arrayBuffer());
    files.set(path, content);
    return BigInt(content.length);
  },
  Digest: async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(data))),
  Later: (at) => new Date(at.getTime() + 1000),
  ByKind: (q) => `item ${q}`,
  ByShelf: (q) => `shelf ${q}`,
  Labels: (labels) => labels,
  Watch: async function* (count) {
    for (let i = 0; i < count; i++) {
      if (i === 13) throw new HTTPError(500, "Watch: thirteen is unlucky");
      yield item(String(i));
    }
  },
  SendPictures: async (id, { title, tags = [], front, files }) => [
    id,
    title,
    tags.join("+"),
    String(front),
    ...await Promise.all(files.map(async (file) => `${file.name}: ${await file.text()}`)),
  ],
  Picture: (id) => ({ title: id, front: true, tags: ["one"], files: [new File(["bytes"], "a.txt")] }),
  Stock: {
    Level: (id) => BigInt(id.length),
    Follow: (to) =>
      resumable(async function* (after = "0") {
        for (let n = Number(after) + 1; n <= to; n++) yield [String(n), n] as const;
      }),
  },
});

export const TOKEN = "open sesame".replace(" ", "-");

/** The API and its surfaces, open to everybody or, with a token, to who has it. */
export function serveShop({ guarded = false } = {}) {
  const auth = guarded ? bearer(TOKEN) : null;
  return handler(auth, shopFunctions, { fallback: surfaces(shop, { auth, version: "2.1", description: "A *shop*." }) });
}

/** Breaks off the next bodies of server-sent events after two of their values, as a proxy might. */
export function breakOff(serve: Handler, times: number): Handler {
  return async (request, platform) => {
    const response = await serve(request, platform);
    if (response.headers.get("content-type") !== "text/event-stream" || times-- <= 0) return response;
    const text = await response.text();
    // A wait that the server names itself, so that nobody waits for a second.
    return new Response(
      "retry: 10\n" + text.split("\n\n").slice(0, 2).join("\n\n") + "\n\nid: 99\ndata: half",
      response,
    );
  };
}
