import { OpenAPIHandler } from "@orpc/openapi/fetch";
import { os } from "@orpc/server";
import { Elysia } from "elysia";
import { H3 } from "h3";
import { Hono } from "hono";
import { IttyRouter } from "itty-router";
import { z } from "zod";
import { api, type Handler, handler, implement, rest } from "../../lib/rest/mod.ts";
import { pathOf, type Route, spellings } from "./routes.ts";

/** A fetch handler under measurement. */
export type Fetch = (request: Request) => Promise<Response> | Response;

/** A path prefix of the engine: none, or any version. */
const VERSION = "/:version{v[0-9][0-9A-Za-z.-]*}";

const nothing = () => new Response(null, { status: 204 });
const colon = (name: string) => `:${name}`;

/** Ours: one definition per route, its spellings and versions by the options of the API. */
export function serveGantry(routes: readonly Route[]): Handler {
  const operations = Object.fromEntries(routes.map((route, i) => {
    const tag = `${route.method} ${pathOf(route, (name) => `{${name}=%v}`, (name) => `{${name}*=%v}`)}`;
    const args = route.parts.filter((part) => "name" in part).map(() => z.string());
    // The tags are made here, so the compiler cannot check them; `api` does.
    return [`Operation${i}`, rest(tag as never, args, [])];
  }));
  const definition = api("http://localhost", operations, { versioned: true, aliases: { engine: ["libpod"] } });
  return handler(null, implement(definition, Object.fromEntries(routes.map((_, i) => [`Operation${i}`, () => {}]))));
}

/** Hono with its default router. */
export function serveHono(routes: readonly Route[], { versions }: { versions: boolean }): Fetch {
  const app = new Hono();
  for (const prefix of versions ? ["", VERSION] : [""]) {
    for (const { method, path } of everyPath(routes, colon, (name) => `:${name}{.+}`)) {
      app.on(method, prefix + path, (context) => {
        context.req.param();
        return nothing();
      });
    }
  }
  return (request) => app.fetch(request);
}

/** itty-router. */
export function serveItty(routes: readonly Route[]): Fetch {
  const router = IttyRouter();
  for (const { method, path } of everyPath(routes, colon, (name) => `:${name}+`)) {
    router[method.toLowerCase() as "get"](path, (request: { params: unknown }) => {
      void request.params;
      return nothing();
    });
  }
  return (request) => router.fetch(request);
}

/** h3. */
export function serveH3(routes: readonly Route[]): Fetch {
  const app = new H3();
  for (const { method, path } of everyPath(routes, colon, colon)) {
    app.on(method as "GET", path, (event) => {
      void event.context.params;
      return nothing();
    });
  }
  return (request) => app.fetch(request);
}

/** Elysia with its adapter for plain `Request` and `Response`. */
export function serveElysia(routes: readonly Route[]): Fetch {
  const app = new Elysia();
  for (const { method, path } of everyPath(routes, colon, colon)) {
    app.route(method, path, ({ params }) => {
      void params;
      return nothing();
    });
  }
  return (request) => app.fetch(request);
}

/** oRPC's handler for plain HTTP paths. */
export function serveOrpc(routes: readonly Route[]): Fetch {
  const procedures = everyPath(routes, (name) => `{${name}}`, (name) => `{${name}}`).map(({ method, path }) =>
    os.route({ method: method as "GET", path: path as `/${string}`, successStatus: 204, inputStructure: "detailed" })
      .handler(() => {})
  );
  const serve = new OpenAPIHandler(Object.fromEntries(procedures.map((procedure, i) => [`p${i}`, procedure])));
  return async (request) => (await serve.handle(request)).response ?? new Response(null, { status: 404 });
}

function everyPath(routes: readonly Route[], parameter: (name: string) => string, remainder: (name: string) => string) {
  return routes.flatMap((route) =>
    spellings(route).map((first) => ({ method: route.method, path: pathOf(route, parameter, remainder, first) }))
  );
}
