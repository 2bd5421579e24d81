/**
 * A bookshop of twelve operations: uploads, an export, live prices, staff and customers, versions, dates, bigints.
 * `deno serve --port 8000 docs/examples/bookshop.ts` serves it, its page included; bookshop_visit.ts calls each operation.
 */
import {
  api,
  type Authenticator,
  bearer,
  chan,
  handler,
  HTTPError,
  implement,
  int64,
  rest,
  stream,
  time,
} from "@gantry/gantry/rest";
import { surfaces } from "@gantry/gantry/surfaces";
import { z } from "npm:zod@4.6.7";

const Book = z.object({
  isbn: z.string().regex(/^\d{13}$/).describe("13 digits, without hyphens").meta({ examples: ["9780140328721"] }),
  title: z.string().min(1).meta({ examples: ["Fantastic Mr Fox"] }),
  author: z.string().meta({ examples: ["Roald Dahl"] }),
  cents: z.bigint().describe("The price: money is never a float"),
  published: z.date(),
  binding: z.enum(["paperback", "hardcover", "audio"]),
  stock: z.int().nonnegative(),
}).meta({ id: "Book", description: "A book as the shop sells it." });

const Payment = z.discriminatedUnion("by", [
  z.object({ by: z.literal("card"), number: z.string().regex(/^\d{16}$/) }).meta({ id: "Card" }),
  z.object({ by: z.literal("voucher"), code: z.string(), worth: z.bigint() }).meta({ id: "Voucher" }),
  z.object({ by: z.literal("invoice"), to: z.email() }).meta({ id: "Invoice" }),
]).meta({ id: "Payment", description: "How a customer pays." });

const Wanted = z.object({ isbn: z.string(), copies: z.int().min(1).max(99), payment: Payment }).meta({ id: "Wanted" });
const Order = z.object({ id: z.int(), total: z.bigint(), placed: z.date(), wanted: Wanted }).meta({ id: "Order" });
const Review = z.object({ stars: z.int().min(1).max(5), text: z.string(), photos: z.array(z.file()) });
const Filter = z.object({
  author: z.string().optional(),
  binding: Book.shape.binding.optional(),
  limit: z.int().min(1).max(100).default(20),
});

/** Every operation in one line: the server below, its page and the client of bookshop_visit.ts are made from it. */
export const bookshopAPI = api("http://localhost:8000", {
  FindBooks: rest("GET /books?%v", [Filter], [z.array(Book)], { versions: ">=2", description: "Finds books." }),
  ListTitles: rest("GET /books", [], [z.array(z.string())], {
    versions: "<2",
    description: "Lists titles, as the first version of the API did.",
  }),
  GetBook: rest("GET /books/{isbn=%v}", [z.string()], [Book]),
  AddBook: rest("POST /books", [Book], [Book], { status: 201, description: "Takes a book into the shop. For staff." }),
  SetPrice: rest("PUT /books/{isbn=%v}/price?cents=%v", [z.string(), int64], [int64], {
    description:
      "Changes a price and answers with the old one. For staff.\n\nWhoever follows `Prices` is told at once.",
  }),
  RemoveBook: rest("DELETE /books/{isbn=%v}", [z.string()]),
  PutCover: rest("PUT /books/{isbn=%v}/cover", [z.string(), stream("image/svg+xml")], [z.int()], { limit: 1 << 20 }),
  GetCover: rest("GET /books/{isbn=%v}/cover", [z.string()], [stream("image/svg+xml")]),
  AddReview: rest("POST(multipart/form-data) /books/{isbn=%v}/reviews", [z.string(), Review], [z.string()]),
  PlaceOrder: rest("POST /orders", [Wanted], [Order], { status: 201, description: "Orders copies of a book." }),
  ExportOrders: rest("GET /orders.csv?since=%v", [time], [stream("text/csv")], { description: "For staff." }),
  Prices: rest("GET /books/{isbn=%v}/prices", [z.string()], [chan(z.object({ cents: z.bigint(), at: z.date() }))], {
    description: "The price now, then every change of it.",
  }),
}, { title: "Bookshop", versioned: true });

const forStaff = new Set(["AddBook", "SetPrice", "RemoveBook", "PutCover", "ExportOrders"]);
const known = bearer((token) => token === "staff-token" ? "staff" : undefined);

/** Customers need no token, and staff one of theirs. */
export const auth: Authenticator<string> = {
  ...known,
  authenticate: (request, name) =>
    request.headers.has("authorization") || forStaff.has(name) ? known.authenticate(request, name) : "customer",
};

type Book = z.infer<typeof Book>;
const books = new Map<string, Book>();
const covers = new Map<string, Uint8Array>();
const orders: z.infer<typeof Order>[] = [];
function findBook(isbn: string): Book {
  const book = books.get(isbn);
  if (book === undefined) throw new HTTPError(404, `Find book ${isbn}: there is none`);
  return book;
}

async function* exportOrders(since: Date) {
  yield "id,isbn,copies,total,placed\n";
  for (const { id, wanted, total, placed } of orders) {
    if (placed >= since) yield `${id},${wanted.isbn},${wanted.copies},${total},${placed.toISOString()}\n`;
  }
}

/** The functions that the operations call. */
export const functions = implement(bookshopAPI, {
  FindBooks: ({ author, binding, limit }) =>
    [...books.values()].filter((book) => author === undefined || book.author === author)
      .filter((book) => binding === undefined || book.binding === binding).slice(0, limit),
  ListTitles: () => [...books.values()].map(({ title }) => title),
  GetBook: (isbn) => findBook(isbn),
  AddBook(book) {
    if (books.has(book.isbn)) throw new HTTPError(409, `Add book ${book.isbn}: it is here already`);
    books.set(book.isbn, book);
    return book;
  },
  SetPrice(isbn, cents) {
    const book = findBook(isbn);
    books.set(isbn, { ...book, cents });
    return book.cents;
  },
  RemoveBook: (isbn) => void books.delete(findBook(isbn).isbn),
  async PutCover(isbn, body) {
    const cover = new Uint8Array(await new Response(body).arrayBuffer());
    covers.set(findBook(isbn).isbn, cover);
    return cover.length;
  },
  GetCover(isbn) {
    const cover = covers.get(isbn);
    if (cover === undefined) throw new HTTPError(404, `Get the cover of ${isbn}: there is none`);
    return cover;
  },
  AddReview: (isbn, { stars, text, photos }) =>
    `${findBook(isbn).title}: ${"*".repeat(stars)} ${text}, ${photos.map(({ name, size }) => `${name} (${size})`)}`,
  PlaceOrder(wanted) {
    const { cents } = findBook(wanted.isbn);
    const order = { id: orders.length + 1, total: cents * BigInt(wanted.copies), placed: new Date(), wanted };
    orders.push(order);
    return order;
  },
  ExportOrders: (since) => exportOrders(since),
  async *Prices(isbn, { signal }) {
    let last: bigint | undefined;
    while (!signal.aborted) {
      const { cents } = findBook(isbn);
      if (cents !== last) yield { cents, at: new Date() };
      last = cents;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
}, auth);

const serve = handler(auth, functions, { fallback: surfaces(bookshopAPI, { auth }) });

/** Served by `deno serve` and by Workers. */
export default { fetch: (request: Request) => serve(request) };
