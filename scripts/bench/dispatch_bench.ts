import { Hono } from "hono";
import { compatContainersAPI } from "../../handlers/compat/containers/api.ts";
import { compatImagesAPI } from "../../handlers/compat/images/api.ts";
import { compatSystemAPI } from "../../handlers/compat/system/api.ts";
import { containersAPI } from "../../handlers/containers/api.ts";
import { imagesAPI } from "../../handlers/images/api.ts";
import { systemAPI } from "../../handlers/system/api.ts";
import { z } from "../../handlers/wire/zod.ts";
import { api, type Handler, handler, implement, rest } from "../../lib/rest/mod.ts";

/** What dispatching costs over the engine's route table, in requests per second, best of several rounds. */
export interface DispatchResult {
  routes: number;
  gantry: number;
  hono: number;
}

interface Route {
  method: string;
  /** Segments: a text, or a parameter's name, or a remainder's. */
  segments: ({ text: string } | { name: string; remainder: boolean })[];
}

/**
 * Dispatches one request per route and spelling, in process, through our router and through Hono's default one. Both match
 * method and path, decode the path's parameters and answer 204; nothing else is in the table's functions.
 */
export async function dispatchBench(rounds: number): Promise<DispatchResult> {
  const routes = table();
  const ours = handler(null, implementation(routes));
  const hono = honoApp(routes);
  const urls = routes.flatMap((route) => requests(route));
  await verify(ours, hono, urls);
  let best = { gantry: 0, hono: 0 };
  // In turn, so that both meet the same machine.
  for (let round = 0; round < rounds; round++) {
    best = {
      gantry: Math.max(best.gantry, await rate(ours, urls)),
      hono: Math.max(best.hono, await rate((request) => hono.fetch(request) as Promise<Response>, urls)),
    };
  }
  return { routes: urls.length, ...best };
}

/** The engine's routes, once per method and path. */
function table(): Route[] {
  const apis = [containersAPI, imagesAPI, systemAPI, compatContainersAPI, compatImagesAPI, compatSystemAPI];
  const routes = new Map<string, Route>();
  for (const plan of apis.flatMap((definition) => definition.plans)) {
    const segments = plan.segments.map((segment): Route["segments"][number] => {
      if (segment.type === "literal") return { text: segment.text };
      if (segment.type === "partial") throw new Error("The table has no partial segments");
      return { name: segment.name, remainder: segment.type === "remainder" };
    });
    const key = `${plan.method} ${segments.map((segment) => "text" in segment ? segment.text : "*").join("/")}`;
    routes.set(key, { method: plan.method, segments });
  }
  return [...routes.values()];
}

function implementation(routes: readonly Route[]) {
  const tag = ({ method, segments }: Route) =>
    `${method} /` + segments.map((segment) => {
      return "text" in segment ? segment.text : `{${segment.name}${segment.remainder ? "*" : ""}=%v}`;
    }).join("/");
  const operations = Object.fromEntries(routes.map((route, i) => {
    const args = route.segments.filter((segment) => "name" in segment).map(() => z.string());
    // The tags are made here, so the compiler cannot check them; `api` does.
    return [`Operation${i}`, rest(tag(route) as never, args, [])];
  }));
  const definition = api("http://localhost", operations, { versioned: true, aliases: { engine: ["libpod"] } });
  return implement(definition, Object.fromEntries(routes.map((_, i) => [`Operation${i}`, () => {}])));
}

function honoApp(routes: readonly Route[]): Hono {
  const app = new Hono();
  for (const route of routes) {
    for (const prefix of ["", "/:version{v[0-9][0-9A-Za-z.-]*}"]) {
      for (const first of spellings(route)) {
        const path = [
          first,
          ...route.segments.slice(1).map((segment) => {
            return "text" in segment ? segment.text : `:${segment.name}${segment.remainder ? "{.+}" : ""}`;
          }),
        ];
        app.on(route.method, `${prefix}/${path.join("/")}`, (context) => {
          context.req.param();
          return new Response(null, { status: 204 });
        });
      }
    }
  }
  return app;
}

function spellings(route: Route): string[] {
  const first = route.segments[0];
  if (!("text" in first)) throw new Error("Every route begins with a text");
  return first.text === "engine" ? ["engine", "libpod"] : [first.text];
}

function requests(route: Route): Request[] {
  return ["", "/v4.3.1"].flatMap((prefix) =>
    spellings(route).map((first) => {
      const rest = route.segments.slice(1).map((segment) => {
        if ("text" in segment) return segment.text;
        return segment.remainder ? "quay.io/libpod/alpine" : "8f0e3a7c51b2";
      });
      return new Request(`http://localhost${prefix}/${[first, ...rest].join("/")}`, { method: route.method });
    })
  );
}

async function verify(ours: Handler, hono: Hono, urls: readonly Request[]): Promise<void> {
  for (const request of urls) {
    const statuses = [(await ours(request)).status, (await hono.fetch(request)).status];
    if (statuses.some((status) => status !== 204)) throw new Error(`${request.method} ${request.url}: ${statuses}`);
  }
}

async function rate(serve: (request: Request) => Promise<Response>, urls: readonly Request[]): Promise<number> {
  const turns = Math.ceil(20_000 / urls.length);
  const from = performance.now();
  for (let turn = 0; turn < turns; turn++) for (const request of urls) await serve(request);
  return turns * urls.length / (performance.now() - from) * 1000;
}
