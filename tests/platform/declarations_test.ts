/** The types of the bundles, as a stranger's compiler sees them who has nothing of the tree. */
import { assertEquals } from "@std/assert";
import { bundles, typed } from "../../scripts/build.ts";
import { bundled } from "../fixtures/platform/test_cache.ts";
import { declarations } from "../../scripts/declarations.ts";
import { ok, run } from "../fixtures/run.ts";

const PORTABLE = `
import { api, chan, error, handler, HTTPError, implement, int64, link, openapi, rest, stream, surfaces, events } from "./rest.js";
import type { Handler, HandlerOptions } from "./rest.js";
import { z } from "zod";

const User = z.object({ id: z.string(), name: z.string().optional() });
const users = api("https://users.example.com", {
  Get: rest("GET /users/{id=%v}", [z.string()], [User]),
  Put: rest("PUT /users/{id}", [User], [User]),
  Ticks: rest("GET /ticks?to=%v", [int64], [chan(int64)]),
  Upload: rest("POST /files", [stream()], [z.number()]),
  Divide: rest("GET /divide?a=%v&b=%v quotient,remainder", [int64, int64], [int64, int64, error]),
});
const options: HandlerOptions = { compress: true, fallback: surfaces(users) };
export const serve: Handler = handler(
  null,
  implement(users, {
    Get(id) {
      if (id === "") throw new HTTPError(404, "Get a user: there is none");
      return { id };
    },
    Put: (user) => user,
    async *Ticks(to) {
      yield to;
    },
    Upload: async (body) => (await new Response(body).text()).length,
    Divide: (a, b) => [a / b, a % b],
  }),
  options,
);
const client = link(users, "http://localhost", events({ fetch: (request) => serve(request) }));
const user: { id: string; name?: string | undefined } = await client.Get("1", { timeout: 100 });
const [quotient, , failure] = await client.Divide(7n, 2n);
const whole: bigint = quotient ?? 0n;
if (failure instanceof HTTPError) console.log(failure.status);
for await (const tick of await client.Ticks(3n, { websocket: true })) console.log(tick + whole, user.id);
console.log(openapi(users).openapi);
// @ts-expect-error: an ID is text
await client.Get(1);
// @ts-expect-error: nothing stands for the second %v
rest("GET /sum?a=%v&b=%v", [int64]);
// @ts-expect-error: no argument has a field of this name
rest("PUT /users/{nobody}", [User]);
// @ts-expect-error: the function returns no user
implement(users, { Get: () => 1 });
`;

const NODE = `
import { api, connect, implement, int64, link, listenAndServe, requestListener, handler, rest, xml } from "./rest-node.mjs";
import type { Listener } from "./rest-node.mjs";
import { createServer } from "node:http";

const calculator = api("http://localhost", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) }, { codecs: [xml()] });
const functions = implement(calculator, { Add: (a, b) => a + b });
await using server: Listener = await listenAndServe("unix:///tmp/x.sock", null, functions, { socketPatience: 1000 });
using client = connect(server.address);
const sum: bigint = await link(calculator, "http://localhost", client).Add(1n, 2n);
createServer(requestListener(handler(null, functions))).listen(Number(sum));
// @ts-expect-error: an address is text
await listenAndServe(8000, null, functions);
`;

Deno.test("a stranger's TypeScript that imports dist/rest.js and dist/rest-node.mjs type-checks, and what is wrong does not", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-types-" });
  try {
    await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module", "private": true }');
    for (const [file, text] of [["rest.js", PORTABLE], ["rest-node.mjs", NODE]]) {
      const { entry, target, types } = bundles[file];
      await Deno.writeTextFile(`${folder}/${file}`, typed(await bundled(entry, target), types));
      await Deno.writeTextFile(`${folder}/${types}`, await declarations(entry));
      await Deno.writeTextFile(`${folder}/${target}.ts`, text);
    }
    const packages = ["typescript@7.0.2", "@types/node@24.19.2", "zod@4.6.7"];
    ok(await run(["npm", "install", "--silent", "--no-audit", "--no-fund", ...packages], { cwd: folder }));
    const tsc = ["node_modules/.bin/tsc", "--noEmit", "--strict"];
    const answers = await Promise.all([
      [...tsc, "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "portable.ts"],
      [...tsc, "--target", "esnext", "--module", "nodenext", "--types", "node", "portable.ts", "node.ts"],
      // A program of Node's has no library of browsers.
      [
        ...tsc,
        "--target",
        "esnext",
        "--module",
        "nodenext",
        "--lib",
        "esnext",
        "--types",
        "node",
        "portable.ts",
        "node.ts",
      ],
      // Deno finds the types by what the bundle says of itself.
      [Deno.execPath(), "check", "--quiet", "portable.ts", "node.ts"],
    ].map((command) => run(command, { cwd: folder })));
    for (const { code, stdout, stderr } of answers) assertEquals([code, stdout], [0, ""], stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
