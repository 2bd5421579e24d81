/**
 * What the compiler makes of definitions: these tests pass when they compile, and each line under `@ts-expect-error` must not. What does not
 * compile is refused when it runs as well.
 */
import { assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  type Authenticator,
  bytes,
  chan,
  type Channel,
  type ClientFunction,
  DefinitionError,
  error,
  handler,
  implement,
  implementPart,
  int64,
  link,
  type Linked,
  namespace,
  rest,
  type ServerFunction,
  stream,
  time,
  type Typed,
  uint64,
} from "../../lib/rest/mod.ts";
import type { Context, Operations, StreamSource } from "../../lib/rest/mod.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only where both types are one. */
function same<A, B>(_: Same<A, B>): void {}

/** Refused when it runs, too. */
function refused(make: () => Operations): void {
  assertThrows(() => api("x", make()), DefinitionError);
}

const s = z.string();
const User = z.object({ id: z.string(), age: z.number().optional(), address: z.object({ city: z.string() }) });

Deno.test("rest() does not compile where a %v has no argument", () => {
  // @ts-expect-error there is no argument
  refused(() => ({ F: rest("GET /{a=%v}") }));
  // @ts-expect-error there is no argument
  refused(() => ({ F: rest("GET /x?a=%v", []) }));
  // @ts-expect-error there is no argument to spread
  refused(() => ({ F: rest("GET /x?%v", []) }));
  // @ts-expect-error there is no second argument
  refused(() => ({ F: rest("GET /%v/%v", [s]) }));
  // @ts-expect-error there is no third argument
  refused(() => ({ F: rest("GET /%[3]v", [s, s]) }));
  // @ts-expect-error after %[2]v comes the third
  refused(() => ({ F: rest("GET /%[2]v/%v", [s, s]) }));
  // @ts-expect-error there is no argument for the remainder
  refused(() => ({ F: rest("GET /{a*=%v}/json") }));
});

Deno.test("rest() does not compile where rules do not match the body or the results", () => {
  // @ts-expect-error one rule for two arguments
  refused(() => ({ F: rest("POST / (a)", [s, s]) }));
  // @ts-expect-error two rules for the one argument that is not in the path
  refused(() => ({ F: rest("POST /{a=%v} (b,c)", [s, s]) }));
  // @ts-expect-error a rule without an argument
  refused(() => ({ F: rest("POST / (a)") }));
  // @ts-expect-error one rule for two results
  refused(() => ({ F: rest("GET / a", [], [s, s]) }));
  // @ts-expect-error two rules for one result and its error
  refused(() => ({ F: rest("GET / a,b", [], [s, error]) }));
  // @ts-expect-error a rule without a result
  refused(() => ({ F: rest("DELETE / a", [], [error]) }));
  // @ts-expect-error argument rules and result rules, the second too many
  refused(() => ({ F: rest("POST / (a,b) c,d", [s, s], [s]) }));
});

Deno.test("rest() does not compile where no argument has a nested name", () => {
  // @ts-expect-error no such field
  refused(() => ({ F: rest("PUT /{name}", [User]) }));
  // @ts-expect-error no such field in either argument
  refused(() => ({ F: rest("PUT /{town}", [User, s]) }));
  // @ts-expect-error no such field on any level
  refused(() => ({ F: rest("PUT /{town*}", [User]) }));
  // @ts-expect-error no argument at all
  refused(() => ({ F: rest("GET /{id}") }));
  // @ts-expect-error no such struct
  refused(() => ({ F: rest("PUT /{place.city}", [User]) }));
});

Deno.test("rest() compiles what is right", () => {
  api("x", {
    A: rest("GET /a"),
    B: rest("GET /b/{id=%v}", [s]),
    C: rest("PUT /c/{id}", [User]),
    D: rest("PUT /d/{address.city}/{id}", [User]),
    E: rest("POST /e/{a=%v} (b,c) d,e", [s, int64, bytes], [time, uint64, error]),
    F: rest("GET /f/%[2]v/%[1]v?x=%[2]v&y=z&%v", [s, s, User]),
    G: rest("POST(application/json) /g", [s, s], [s, s]),
    H: rest("GET /h/{name*=%v}/json", [s], [stream()]),
    I: rest("GET /i", [], [chan(User)]),
    J: rest("POST /j", [stream("application/x-tar")], [error]),
    K: rest("POST(text/plain; charset=utf-8) /k", [s], [s]),
    L: rest("POST(application/json; charset=utf-8; v=1) /l (a, b) c, d", [s, s], [s, s]),
    M: rest("PUT /m/{id*}", [User]),
    N: rest("PUT /n/{city*}/json", [User]),
    O: rest("PUT /o/{city}", [s, User]),
    P: rest('POST(multipart/related; type="a (b) c") /p', [stream()]),
    Q: rest("VERSION-CONTROL /q"),
  });
});

const definition = api("x", {
  Get: rest("GET /users/{id=%v}?deep=%v", [s, z.boolean().optional()], [User]),
  Try: rest("PUT /users/{id}", [User], [User, s, error]),
  Remove: rest("DELETE /users/{id=%v}", [int64], [error]),
  Watch: rest("GET /watch", [], [chan(User)]),
  Copy: rest("POST /copy", [stream()], [stream()]),
  Parse: rest("GET /parse?n=%v", [z.string().transform((text) => text.length)], [z.date().or(s).optional()]),
  Nothing: rest("POST /nothing"),
});
type User = z.infer<typeof User>;
type Of<K extends keyof typeof definition.operations> = typeof definition.operations[K];

Deno.test("link() types functions by their schemas", () => {
  type Client = Linked<typeof definition.operations>;
  same<Awaited<ReturnType<Client["Get"]>>, User>(true);
  same<Awaited<ReturnType<Client["Try"]>>, [User | undefined, string | undefined, Error | undefined]>(true);
  same<Awaited<ReturnType<Client["Remove"]>>, Error | undefined>(true);
  same<Awaited<ReturnType<Client["Watch"]>>, Channel<User>>(true);
  same<Awaited<ReturnType<Client["Copy"]>>, ReadableStream<Uint8Array>>(true);
  same<Awaited<ReturnType<Client["Nothing"]>>, void>(true);
  same<Parameters<Client["Remove"]>[0], bigint | number>(true);
  same<Parameters<Client["Parse"]>[0], string>(true);
  same<Parameters<Client["Copy"]>[0], StreamSource | Response>(true);
  same<Parameters<ClientFunction<Typed<[], []>>>["length"], 0 | 1>(true);
  const client = link(definition);
  const never = () => [
    client.Get("a"),
    client.Get("a", true, { timeout: 1 }),
    // @ts-expect-error the id is missing
    client.Get(),
    // @ts-expect-error the id is a string
    client.Get(1),
    // @ts-expect-error a field is missing
    client.Try({ id: "a" }),
    // @ts-expect-error there is no such option
    client.Nothing({ patience: 1 }),
  ];
  void never;
});

Deno.test("implement() types functions by their schemas", () => {
  same<Parameters<ServerFunction<Of<"Get">>>, [string, boolean | undefined, context: Context<unknown>]>(true);
  same<Parameters<ServerFunction<Of<"Remove">>>[0], bigint>(true);
  same<Parameters<ServerFunction<Of<"Parse">>>[0], number>(true);
  same<Parameters<ServerFunction<Of<"Copy">>>[0], ReadableStream<Uint8Array>>(true);
  same<ReturnType<ServerFunction<Of<"Try">>>, [User, string] | Promise<[User, string]>>(true);
  // @ts-expect-error a field of the result is missing
  implementPart(definition, { Get: (id) => ({ id }) });
  // @ts-expect-error two results, not one
  implementPart(definition, { Try: (user) => user });
  // @ts-expect-error there is no such function
  implementPart(definition, { Other: () => {} });
  // @ts-expect-error more parameters than arguments and the context
  implementPart(definition, { Nothing: (_context, _more) => {} });
  // @ts-expect-error all but one have no function
  implement(definition, { Get: (id) => ({ id, age: 1 }) });
  // @ts-expect-error not an AsyncIterable of users
  implementPart(definition, { Watch: () => [1] });
});

Deno.test("implement() and implementPart() do not compile where an object literal has a foreign field", () => {
  const nested = api("x", {
    Get: rest("GET /user", [], [User]),
    All: rest("GET /users", [], [z.array(User)]),
    Map: rest("GET /map", [], [z.record(s, User)]),
    Loose: rest("GET /loose", [], [z.looseObject({ id: s })]),
    Either: rest("GET /either", [], [z.union([User, z.object({ name: s }), s])]),
    Pair: rest("GET /pair", [], [User, int64]),
    Watch: rest("GET /watch", [], [chan(User)]),
    Deep: namespace({ Get: rest("GET /deep", [], [User]) }),
  });
  const address = { city: "Rome" };
  const ann = { id: "ann", address };
  interface Row {
    id: string;
    address: { city: string };
    hash: string;
  }
  const row: Row = { ...ann, hash: "" };
  implement(nested, {
    Get: () => ann,
    All: async () => [await Promise.resolve(ann), { id: "bob", age: undefined, address }],
    Map: () => ({ ann }),
    Loose: () => ({ id: "a", more: 1 }),
    Either: ({ name }) => name === "" ? ann : name === "a" ? "text" : { name },
    Pair: () => [ann, 1n],
    async *Watch() {
      yield ann;
    },
    Deep: { Get: async () => await ann },
  });
  // The fields of a row are for the server to cut.
  implementPart(nested, { Get: () => row, All: async () => await [row] });
  // @ts-expect-error hash is not in the schema
  implementPart(nested, { Get: () => ({ ...ann, hash: "" }) });
  // @ts-expect-error hash is not in the schema
  implementPart(nested, { Get: async () => await ({ ...ann, hash: "" }) });
  // @ts-expect-error zip is not in the schema of the address
  implementPart(nested, { Get: () => ({ id: "", address: { city: "", zip: "" } }) });
  // @ts-expect-error hash is not in the schema of an item
  implementPart(nested, { All: () => [row].map(({ id }) => ({ id, address, hash: "" })) });
  // @ts-expect-error hash is not in the schema of a value
  implementPart(nested, { Map: () => ({ ann: { ...ann, hash: "" } }) });
  // @ts-expect-error hash is in neither
  implementPart(nested, { Either: () => ({ name: "", hash: "" }) });
  // @ts-expect-error hash is not in the schema of the first
  implementPart(nested, { Pair: () => [{ ...ann, hash: "" }, 1n] });
  implementPart(nested, {
    // @ts-expect-error hash is not in the schema of a channel's value
    async *Watch() {
      yield { ...ann, hash: "" };
    },
  });
  // @ts-expect-error hash is not in the schema, in a namespace either
  implementPart(nested, { Deep: { Get: () => ({ ...ann, hash: "" }) } });
});

Deno.test("handler() takes only the authenticator its functions expect", () => {
  const named: Authenticator<{ name: string }> = { authenticate: () => ({ name: "ann" }) };
  const numbered: Authenticator<number> = { authenticate: () => 1 };
  const made = implementPart(definition, { Nothing: ({ identity }) => void identity.name }, named);
  handler(named, made);
  // @ts-expect-error its functions expect a name
  handler(numbered, made);
});
