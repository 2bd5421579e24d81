import { zValidator } from "@hono/zod-validator";
import { OpenAPIHandler } from "@orpc/openapi/fetch";
import { os } from "@orpc/server";
import { Elysia } from "elysia";
import createFinder from "find-my-way";
import { H3, readValidatedBody } from "h3";
import { Hono } from "hono";
import { error, IttyRouter, json } from "itty-router";
import { z } from "zod";
import { api, handler, implement, rest } from "../../../lib/rest/mod.ts";
import type { Fetch } from "../dispatch_peers.ts";
import { ItemList, items, LIST, Order, ORDERS, PlacedOrder, type WorkloadRoute } from "./api_routes.ts";

type Texts = Record<string, string>;

/**
 * The workload in every library, each as its documentation shows it. Bodies and results are validated by all of them, with the same schemas: the
 * results of those that have no check of results by their functions. find-my-way is a router only: what is around it is written here.
 */
export function workloadPeers(routes: readonly WorkloadRoute[]): Record<string, Fetch> {
  return {
    gantry: serveGantry(routes),
    hono: serveHono(routes),
    "find-my-way": serveFinder(routes),
    h3: serveH3(routes),
    itty: serveItty(routes),
    elysia: serveElysia(routes),
    orpc: serveOrpc(routes),
  };
}

/** Returns the value of a route's function for its parameters, and its body if it has one. */
function resultOf(
  { path, make }: WorkloadRoute,
  { version, id, part, file }: Texts,
  body?: z.infer<typeof Order>,
): unknown {
  if (path === LIST) return { version, items };
  return path === ORDERS ? { version, ...body! } : make(version, id, part, file);
}

const schemaOf = ({ path, schema }: WorkloadRoute): z.ZodType =>
  path === LIST ? ItemList : path === ORDERS ? PlacedOrder : schema;

function serveGantry(routes: readonly WorkloadRoute[]): Fetch {
  const operations = routes.map((route, index) => {
    const tag = `${route.method} ${route.path.replaceAll(/:(\w+)/g, "{$1=%v}")}`;
    const args = [...route.names.map(() => z.string()), ...route.path === ORDERS ? [Order] : []];
    // The tags are made here, so the compiler cannot check them; `api` does.
    return [`Operation${index}`, rest(tag as never, args, [schemaOf(route)])] as const;
  });
  const functions = routes.map((route, index) => {
    const run = route.path === LIST
      ? (version: string) => ({ version, items })
      : route.path === ORDERS
      ? (version: string, order: z.infer<typeof Order>) => ({ version, ...order })
      : route.make;
    return [`Operation${index}`, run];
  });
  const definition = api("http://localhost", Object.fromEntries(operations));
  // The names and types of functions made in a loop are not known to the compiler.
  const serve = handler(null, implement(definition, Object.fromEntries(functions) as never));
  // As all the others do here, it takes the bodies of its own process whole.
  const platform = { boundedBodies: true };
  return (request) => serve(request, platform);
}

function serveHono(routes: readonly WorkloadRoute[]): Fetch {
  const app = new Hono();
  for (const route of routes) {
    const schema = schemaOf(route);
    if (route.path === ORDERS) {
      app.post(
        ORDERS,
        zValidator("json", Order),
        (c) => c.json(schema.parse(resultOf(route, c.req.param(), c.req.valid("json"))) as object),
      );
    } else {
      // The result is an object, which its schema's type does not say.
      app.on(route.method, route.path, (c) => c.json(schema.parse(resultOf(route, c.req.param() as Texts)) as object));
    }
  }
  return (request) => app.fetch(request);
}

function serveFinder(routes: readonly WorkloadRoute[]): Fetch {
  type Run = (given: Texts, request: Request) => Response | Promise<Response>;
  const finder = createFinder();
  for (const route of routes) {
    const schema = schemaOf(route);
    const run: Run = route.path !== ORDERS
      ? (given) => Response.json(schema.parse(resultOf(route, given)))
      : async (given, request) => {
        const { data, error } = Order.safeParse(await request.json().catch(() => undefined));
        return data === undefined
          ? Response.json({ message: error?.message }, { status: 400 })
          : Response.json(schema.parse(resultOf(route, given, data)));
      };
    // It keeps any function for us, and types those of Node's server.
    finder.on(route.method, route.path, run as never);
  }
  return (request) => {
    const { url } = request;
    const found = finder.find(request.method as "GET", url.slice(url.indexOf("/", 8)));
    if (!found) return Response.json({ message: "Not found" }, { status: 404 });
    return (found.handler as unknown as Run)(found.params as Texts, request);
  };
}

function serveH3(routes: readonly WorkloadRoute[]): Fetch {
  const app = new H3();
  for (const route of routes) {
    const schema = schemaOf(route);
    // Parameters are texts where the route has them, which these have.
    app.on(
      route.method,
      route.path,
      route.path === ORDERS
        ? async (event) =>
          schema.parse(resultOf(route, event.context.params as Texts, await readValidatedBody(event, Order)))
        : (event) => schema.parse(resultOf(route, event.context.params as Texts)),
    );
  }
  return (request) => app.fetch(request);
}

function serveItty(routes: readonly WorkloadRoute[]): Fetch {
  const router = IttyRouter();
  for (const route of routes) {
    const schema = schemaOf(route);
    const method = route.method.toLowerCase() as "get";
    if (route.path === ORDERS) {
      router[method](route.path, async (request) => {
        // It has no validation of its own: what is wrong is the function's to answer.
        const { data, error: wrong } = Order.safeParse(await request.json().catch(() => undefined));
        return data === undefined
          ? error(400, wrong?.message)
          : json(schema.parse(resultOf(route, request.params, data)));
      });
    } else router[method](route.path, ({ params }) => json(schema.parse(resultOf(route, params))));
  }
  router.all("*", () => error(404));
  return (request) => router.fetch(request);
}

/** Elysia's own adapter for plain `Request` and `Response`; it validates by the same schemas. */
function serveElysia(routes: readonly WorkloadRoute[]): Fetch {
  const app = new Elysia();
  for (const route of routes) {
    const response = schemaOf(route);
    if (route.path === ORDERS) {
      app.post(ORDERS, ({ params, body }) => resultOf(route, params, body) as never, { body: Order, response });
    } else {
      app.route(route.method, route.path, ({ params }) => resultOf(route, params) as never, { response });
    }
  }
  return (request) => app.fetch(request);
}

function serveOrpc(routes: readonly WorkloadRoute[]): Fetch {
  const procedures = routes.map((route, index) => {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}") as `/${string}`;
    const made = os.route({ method: route.method, path });
    const procedure = route.path === ORDERS
      ? made.input(PlacedOrder).output(PlacedOrder).handler(({ input }) =>
        resultOf(route, { ...input } as never, input) as never
      )
      : made.input(route.schema).output(schemaOf(route)).handler(({ input }) => resultOf(route, input));
    return [`p${index}`, procedure] as const;
  });
  const serve = new OpenAPIHandler(Object.fromEntries(procedures));
  return async (request) => {
    const { response } = await serve.handle(request);
    return response ?? Response.json({ message: "Not found" }, { status: 404 });
  };
}
