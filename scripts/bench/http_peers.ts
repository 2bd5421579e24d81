import { zValidator } from "@hono/zod-validator";
import { OpenAPIHandler } from "@orpc/openapi/fetch";
import { os } from "@orpc/server";
import { Elysia } from "elysia";
import { H3, readValidatedBody } from "h3";
import { Hono } from "hono";
import { error, IttyRouter, json } from "itty-router";
import { z } from "zod";
import { api, handler, implement, rest } from "../../lib/rest/mod.ts";
import type { Fetch } from "./dispatch_peers.ts";

const User = z.object({
  name: z.string().min(1),
  email: z.string(),
  age: z.number().int(),
  tags: z.array(z.string()),
  address: z.object({ street: z.string(), city: z.string() }),
});

/** The user in every peer's requests: `GET /users/:id` gives a user, `POST /users` validates one and gives it back with an id. */
export const user = {
  name: "Ada",
  email: "ada@example.com",
  age: 36,
  tags: ["a", "b", "c"],
  address: { street: "1 Long Lane", city: "London" },
};

const Stored = User.extend({ id: z.string() });

type WithID = z.infer<typeof Stored>;

const withID = (id: string, of: z.infer<typeof User>): WithID => ({ id, ...of });

/** Options of the peers, the same for all of them. */
export interface PeerOptions {
  /** Whether results are checked against their schema before they go out. */
  checked: boolean;
}

/** The same two operations in every library, each as its documentation shows them; bodies are validated by all of them. */
export function httpPeers(options: PeerOptions): Record<string, Fetch> {
  return {
    gantry: serveGantry(options),
    hono: serveHono(options),
    itty: serveItty(options),
    h3: serveH3(options),
    orpc: serveOrpc(options),
    elysia: serveElysia(options),
  };
}

/** For those that leave the check of a result to the function: with zod, as ours and the others do. */
const checkWith = ({ checked }: PeerOptions) =>
  checked ? (user: WithID): WithID => Stored.parse(user) : (user: WithID) => user;

function serveGantry({ checked }: PeerOptions): Fetch {
  const users = api("http://localhost", {
    Get: rest("GET /users/{id=%v}", [z.string()], [Stored]),
    Add: rest("POST /users", [User], [Stored]),
  }, { trusted: !checked });
  const serve = handler(null, implement(users, { Get: (id) => withID(id, user), Add: (added) => withID("7", added) }));
  // As all the others do here, it takes the bodies of its own process whole. Bodies that come over TCP tell their length.
  const platform = { boundedBodies: true };
  return (request) => serve(request, platform);
}

function serveHono(options: PeerOptions): Fetch {
  const app = new Hono();
  const check = checkWith(options);
  app.get("/users/:id", (c) => c.json(check(withID(c.req.param("id"), user))));
  app.post("/users", zValidator("json", User), (c) => c.json(check(withID("7", c.req.valid("json")))));
  return (request) => app.fetch(request);
}

function serveItty(options: PeerOptions): Fetch {
  const router = IttyRouter();
  const check = checkWith(options);
  router.get("/users/:id", ({ params }) => json(check(withID(params.id, user))));
  router.post("/users", async (request) => {
    // It has no validation of its own: what is wrong is the function's to answer.
    const { data, error: wrong } = User.safeParse(await request.json().catch(() => undefined));
    return data === undefined ? error(400, wrong?.message) : json(check(withID("7", data)));
  });
  return (request) => router.fetch(request);
}

function serveH3(options: PeerOptions): Fetch {
  const app = new H3();
  const check = checkWith(options);
  app.get("/users/:id", (event) => check(withID(event.context.params!.id, user)));
  app.post("/users", async (event) => check(withID("7", await readValidatedBody(event, User))));
  return (request) => app.fetch(request);
}

function serveOrpc({ checked }: PeerOptions): Fetch {
  const get = os.route({ method: "GET", path: "/users/{id}" }).input(z.object({ id: z.string() }));
  const add = os.route({ method: "POST", path: "/users" }).input(User);
  const serve = new OpenAPIHandler({
    get: (checked ? get.output(Stored) : get).handler(({ input }) => withID(input.id, user)),
    add: (checked ? add.output(Stored) : add).handler(({ input }) => withID("7", input)),
  });
  return async (request) => (await serve.handle(request)).response ?? new Response(null, { status: 404 });
}

/** Elysia's own adapter for plain `Request` and `Response`; it validates by the same schemas. */
function serveElysia({ checked }: PeerOptions): Fetch {
  const app = new Elysia().onError(({ code, set }) => {
    if (code === "VALIDATION" || code === "PARSE") set.status = 400;
  });
  if (checked) {
    app.get("/users/:id", ({ params: { id } }) => withID(id, user), { response: Stored })
      .post("/users", ({ body }) => withID("7", body), { body: User, response: Stored });
  } else {
    app.get("/users/:id", ({ params: { id } }) => withID(id, user))
      .post("/users", ({ body }) => withID("7", body), { body: User });
  }
  return (request) => app.fetch(request);
}
