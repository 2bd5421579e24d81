import { zValidator } from "@hono/zod-validator";
import { OpenAPIHandler } from "@orpc/openapi/fetch";
import { os } from "@orpc/server";
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

type WithID = z.infer<typeof User> & { id: string };

const withID = (id: string, of: z.infer<typeof User>): WithID => ({ id, ...of });

/** The same two operations in every library, each as its documentation shows them. */
export function httpPeers(): Record<string, Fetch> {
  return { gantry: gantry(), hono: hono(), itty: itty(), h3: h3(), orpc: orpc() };
}

function gantry(): Fetch {
  const Stored = User.extend({ id: z.string() });
  const users = api("http://localhost", {
    Get: rest("GET /users/{id=%v}", [z.string()], [Stored]),
    Add: rest("POST /users", [User], [Stored]),
  });
  const serve = handler(null, implement(users, { Get: (id) => withID(id, user), Add: (added) => withID("7", added) }));
  // As all the others do here, it takes the bodies of its own process whole. Bodies that come over TCP tell their length.
  const platform = { boundedBodies: true };
  return (request) => serve(request, platform);
}

function hono(): Fetch {
  const app = new Hono();
  app.get("/users/:id", (c) => c.json(withID(c.req.param("id"), user)));
  app.post("/users", zValidator("json", User), (c) => c.json(withID("7", c.req.valid("json"))));
  return (request) => app.fetch(request);
}

function itty(): Fetch {
  const router = IttyRouter();
  router.get("/users/:id", ({ params }) => json(withID(params.id, user)));
  router.post("/users", async (request) => {
    // It has no validation of its own: what is wrong is the function's to answer.
    const { data, error: wrong } = User.safeParse(await request.json().catch(() => undefined));
    return data === undefined ? error(400, wrong?.message) : json(withID("7", data));
  });
  return (request) => router.fetch(request);
}

function h3(): Fetch {
  const app = new H3();
  app.get("/users/:id", (event) => withID(event.context.params!.id, user));
  app.post("/users", async (event) => withID("7", await readValidatedBody(event, User)));
  return (request) => app.fetch(request);
}

function orpc(): Fetch {
  const serve = new OpenAPIHandler({
    get: os.route({ method: "GET", path: "/users/{id}" }).input(z.object({ id: z.string() }))
      .handler(({ input }) => withID(input.id, user)),
    add: os.route({ method: "POST", path: "/users" }).input(User).handler(({ input }) => withID("7", input)),
  });
  return async (request) => (await serve.handle(request)).response ?? new Response(null, { status: 404 });
}
