/** Callers with a token, and two versions of one operation: `deno run -A docs/examples/members_only.ts`. */
import { api, bearer, header, implement, link, rest } from "@gantry/gantry/rest";
import { listenAndServe } from "@gantry/gantry/serve";
import { z } from "npm:zod@4.6.7";

/** `/v1/me` answers with a name, `/v2/me` with an object. A path without a version takes the first that is defined. */
const membersAPI = api("http://localhost", {
  GetMe: rest("GET /me", [], [z.object({ name: z.string(), since: z.int() })], { versions: ">=2" }),
  GetName: rest("GET /me", [], [z.string()], { versions: "<2" }),
}, { versioned: true });

const members = new Map([["token-of-ann", { name: "Ann", since: 2024 }]]);

// The check returns the caller's identity; functions get it, with its type, in their context.
const auth = bearer((token) => members.get(token));
const functions = implement(membersAPI, {
  GetMe: ({ identity }) => identity,
  GetName: ({ identity }) => identity.name,
}, auth);

await using server = await listenAndServe("tcp://127.0.0.1:0", auth, functions);
const url = server.address.replace("tcp:", "http:");

const headers = { authorization: "Bearer token-of-ann" };
for (const path of ["/v1/me", "/v2/me", "/me"]) {
  console.log(path, await (await fetch(url + path, { headers })).text());
}
console.log((await link(membersAPI, url, header("authorization", headers.authorization)).GetMe()).since);

const stranger = await link(membersAPI, url).GetMe().catch((error) => error);
console.log(stranger.status, stranger.message);
