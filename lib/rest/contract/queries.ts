/**
 * TanStack Query over a typed client: keys, queries and mutations of every operation. It imports nothing of TanStack's: what it
 * returns is what `useQuery`, `useMutation`, `fetchQuery` and `invalidateQueries` take.
 *
 * @example
 * ```ts
 * import { api, handler, implement, link, rest } from "../mod.ts";
 * import { queries } from "./queries.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const users = api("users.example.com", { Name: rest("GET /users/{id=%v}", [z.string()], [z.string()]) });
 * const fetch = handler(null, implement(users, { Name: (id) => `name of ${id}` }));
 * const query = queries(users, link(users, "http://localhost", { fetch }));
 * const { queryKey, queryFn } = query.Name.query("1"); // useQuery(query.Name.query("1"))
 * console.assert(queryKey.join() === "users.example.com,Name,1" && await queryFn({}) === "name of 1");
 * ```
 * @module
 */
import type { Linked } from "../call/core_client.ts";
import { encodeBase64 } from "../codecs/base64.ts";
import { isRecord } from "../codecs/record.ts";
import type { Definition, Operations } from "../definition.ts";
import type { Channel } from "../plan/marker.ts";
import type { Plan } from "../plan/plan_types.ts";

/**
 * The data that TanStack Query keeps of a result: of a channel all its values, and null of no result, since it takes no undefined.
 *
 * @example
 * ```ts
 * import type { Kept } from "./queries.ts";
 * const nothing: Kept<void> = null;
 * ```
 */
export type Kept<R> = R extends Channel<infer Item> ? Item[] : R extends void ? null : R;

/**
 * The options of a query.
 *
 * @example
 * ```ts
 * import type { Query } from "./queries.ts";
 * const fixed: Query<number> = { queryKey: ["x", "One"], queryFn: () => Promise.resolve(1) };
 * ```
 */
export interface Query<Data> {
  /** The API's address, the operation's name, and the arguments, which JSON can express. */
  readonly queryKey: readonly unknown[];
  /** Calls the operation; the signal ends it. */
  queryFn(context: { signal?: AbortSignal }): Promise<Data>;
}

/**
 * The keys, queries and mutations of an operation.
 *
 * @example
 * ```ts
 * import type { QueryMaker } from "./queries.ts";
 * const invalidate = (maker: QueryMaker<[string], string>) => ({ queryKey: maker.key("1") });
 * ```
 */
export interface QueryMaker<Args extends unknown[], Result> {
  /** The key of all calls with these arguments first: without any, of all calls. */
  key(...args: Partial<Args>): readonly unknown[];
  /** The options of a query for a call. */
  query(...args: Args): Query<Kept<Result>>;
  /** The options of a mutation, whose variables are the call's arguments. */
  mutation(): {
    readonly mutationKey: readonly unknown[];
    mutationFn(args: Args): Promise<Kept<Result>>;
  };
}

/**
 * The makers of all functions of a client, by name.
 *
 * @example
 * ```ts
 * import type { Queries } from "./queries.ts";
 * type Makers = Queries<{ Name(id: string): Promise<string> }>;
 * const key = (makers: Makers) => makers.Name.key("1");
 * ```
 */
export type Queries<L> = {
  readonly [K in keyof L]: L[K] extends (...args: infer Args) => Promise<infer Result> ? QueryMaker<Args, Result>
    : Queries<L[K]>;
};

/** A client's function, whatever its arguments. */
type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Makes keys, queries and mutations for every operation of an API. A query whose operation has `error` among its results fails with
 * that error.
 *
 * @param client The linked API
 *
 * @example
 * ```ts
 * import { api, int64, link, rest } from "../mod.ts";
 * import { queries } from "./queries.ts";
 * const shop = api("shop.example.com", { Price: rest("GET /prices/{id=%v}", [int64], [int64]) });
 * const fetch = () => Promise.resolve(new Response("14"));
 * const { Price } = queries(shop, link(shop, "http://localhost", { fetch }));
 * console.assert(await Price.query(7n).queryFn({}) === 14n);
 * ```
 */
export function queries<const D extends Operations>(definition: Definition<D>, client: Linked<D>): Queries<Linked<D>> {
  const made: Record<string, unknown> = {};
  for (const plan of definition.plans) {
    const path = plan.name.split(".");
    const last = path.pop()!;
    let table = made;
    let calls: unknown = client;
    for (const name of path) {
      table = (table[name] ??= {}) as typeof table;
      calls = (calls as Record<string, unknown>)[name];
    }
    // The client was made of the same plans, name by name.
    table[last] = makerOf(plan, [definition.base, plan.name], (calls as Record<string, Call>)[last]);
  }
  return made as Queries<Linked<D>>;
}

function makerOf(plan: Plan, base: readonly string[], call: Call): QueryMaker<unknown[], unknown> {
  const { length } = plan.arguments;
  const key = (...args: unknown[]) => [...base, ...withoutEnd(args.slice(0, length)).map(keyValue)];
  const run = async (args: readonly unknown[], signal?: AbortSignal) => {
    const given = Array.from({ length }, (_, index) => args[index]);
    const options = isRecord(args[length]) ? args[length] : {};
    const result = await call(...given, signal === undefined ? options : { ...options, signal });
    const failure = plan.result.fallible ? (Array.isArray(result) ? result.at(-1) : result) : undefined;
    if (failure instanceof Error) throw failure;
    if (plan.result.shape === "channel") return await collectValues(result as AsyncIterable<unknown>);
    return result ?? null;
  };
  return {
    key,
    query: (...args) => ({ queryKey: key(...args), queryFn: ({ signal }) => run(args, signal) }),
    mutation: () => ({ mutationKey: base, mutationFn: (args) => run(args) }),
  };
}

/** Arguments without those at the end that are left out. */
function withoutEnd(args: readonly unknown[]): readonly unknown[] {
  return args.slice(0, args.findLastIndex((value) => value !== undefined) + 1);
}

/** A value as JSON can express it, so that a key can be hashed. */
function keyValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Date) return value.toJSON();
  if (Array.isArray(value)) return value.map(keyValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, keyValue(inner)]));
}

/** All values of a channel; `Array.fromAsync` is not in Node 20. */
async function collectValues(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}
