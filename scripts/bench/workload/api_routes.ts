import { z } from "zod";

/** One of the workload's routes: a method, and a path whose parameters are written `:name`. */
export interface WorkloadRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The names of its parameters, in order. */
  readonly names: readonly string[];
  /** The schema of its parameters and, for those of GET, of its result: a text for each name. */
  readonly schema: z.ZodObject<Record<string, z.ZodString>>;
  /** Makes the result of the parameters, in order. */
  readonly make: (...texts: string[]) => Record<string, string>;
}

/** The body of the workload's POST. */
export const Order = z.object({
  sku: z.string().min(1),
  count: z.number().int(),
  tags: z.array(z.string()),
  address: z.object({ street: z.string(), city: z.string() }),
});

/** The result of the workload's POST: the body with what the path said. */
export const PlacedOrder = Order.extend({ version: z.string() });

/** The objects of the workload's list. */
export const Item = z.object({ id: z.number().int(), name: z.string(), price: z.number(), isSold: z.boolean() });

/** The result of the workload's list. */
export const ItemList = z.object({ version: z.string(), items: z.array(Item) });

/** A thousand objects. */
export const items: readonly z.infer<typeof Item>[] = Array.from(
  { length: 1000 },
  (_, id) => ({ id, name: `item ${id}`, price: id / 8, isSold: id % 3 === 0 }),
);

/** An order that fits its schema. */
export const order: z.infer<typeof Order> = {
  sku: "book-7",
  count: 2,
  tags: ["a", "b", "c"],
  address: { street: "1 Long Lane", city: "London" },
};

/** The path of the list, and that of the orders. */
export const LIST = "/:version/items";
export const ORDERS = "/:version/orders";

/**
 * The workload's 172 routes, all with a version parameter: lists, objects, parts of objects and changes of 42 resources, then the list of a
 * thousand objects, the orders, a static path and the last route.
 */
export function workloadRoutes(): readonly WorkloadRoute[] {
  const routes = Array.from({ length: 42 }, (_, index) => {
    const resource = `/:version/resource${index}`;
    return [
      routeOf("GET", `${resource}/all`),
      routeOf("GET", `${resource}/:id`),
      routeOf("GET", `${resource}/:id/parts/:part/files/:file`),
      routeOf("POST", `${resource}/:id/start`),
    ];
  });
  const others = [
    routeOf("GET", LIST),
    routeOf("POST", ORDERS),
    routeOf("GET", "/:version/status"),
    routeOf("GET", "/:version/zone/:id"),
  ];
  return [...routes.flat(), ...others];
}

/** The functions as a user writes them, by the number of their parameters. */
const MAKERS: Record<number, WorkloadRoute["make"]> = {
  1: (version) => ({ version }),
  2: (version, id) => ({ version, id }),
  4: (version, id, part, file) => ({ version, id, part, file }),
};

function routeOf(method: WorkloadRoute["method"], path: string): WorkloadRoute {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const schema = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  return { method, path, names, schema, make: MAKERS[names.length] };
}
