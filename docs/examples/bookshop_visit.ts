/**
 * Calls every operation of bookshop.ts: `deno run -A docs/examples/bookshop_visit.ts`, with the address of a running shop behind it or
 * without one. Node 20 and later run it too, bundled.
 */
import process from "node:process";
import { header, HTTPError, link } from "@gantry/gantry/rest";
import { listenAndServe } from "@gantry/gantry/serve";
import { auth, bookshopAPI, functions } from "./bookshop.ts";

const own = process.argv[2] === undefined ? await listenAndServe("tcp://127.0.0.1:0", auth, functions) : undefined;
const url = own?.address.replace("tcp:", "http:") ?? process.argv[2];

const customer = link(bookshopAPI, url);
const staff = link(bookshopAPI, url, header("authorization", "Bearer staff-token"));
const isbn = "9780140328721";
const fox = {
  isbn,
  title: "Fantastic Mr Fox",
  author: "Roald Dahl",
  cents: 9007199254740993n,
  published: new Date("1988-10-01"),
  binding: "paperback",
  stock: 7,
} as const;

const stranger: unknown = await customer.AddBook(fox).catch((error) => error);
console.log("stranger", stranger instanceof HTTPError && stranger.status);
const { cents, published } = await staff.AddBook(fox);
console.log("added", cents, published.getUTCFullYear());
console.log("found", (await customer.FindBooks({ author: "Roald Dahl", limit: 5 })).length);
console.log("in /v1", await (await fetch(`${url}/v1/books`)).text());
console.log("old price", await staff.SetPrice(isbn, 1200n));
console.log("stock", (await customer.GetBook(isbn)).stock);

const cover = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>',
);
console.log("cover", await staff.PutCover(isbn, cover) === cover.length);
const tooLarge: unknown = await staff.PutCover(isbn, new Uint8Array((1 << 20) + 1)).catch((error) => error);
console.log("too large", tooLarge instanceof HTTPError && tooLarge.status);
console.log("sent back", (await new Response(await customer.GetCover(isbn)).text()).slice(0, 4));
const photos = [new File(["one"], "one.png"), new File(["three"], "two.png")];
console.log("review", await customer.AddReview(isbn, { stars: 4, text: "Foxy", photos }));

const prices: bigint[] = [];
for await (const { cents, at } of await customer.Prices(isbn)) {
  if (at instanceof Date) prices.push(cents);
  if (prices.length === 3) break;
  await staff.SetPrice(isbn, cents + 100n);
}
console.log("prices", prices);

const payment = { by: "voucher", code: "FOX", worth: 2000n } as const;
const order = await customer.PlaceOrder({ isbn, copies: 2, payment });
console.log("order", order.id, order.total, order.wanted.payment.by, order.placed instanceof Date);
const exported = await new Response(await staff.ExportOrders(new Date(0))).text();
console.log("exported", exported.split("\n")[1].replace(/,[^,]*$/, ""));
await staff.RemoveBook(isbn);
const gone: unknown = await customer.GetBook(isbn).catch((error) => error);
console.log("gone", gone instanceof HTTPError && gone.message);
await own?.close();
