import type { ServerParts } from "../run/core_server.ts";
import { encodeProblem } from "../problem.ts";
import type { IsPlain } from "../run/check_result.ts";
import { quickTest } from "./plain_values.ts";

/**
 * Shortens three ways: arguments and results pass without asking their schemas where these are zod's and plain, and the values fit them as they are
 * (strings, numbers, booleans, lists and objects, optional and nullable ones, with checks of length and range); such a result is made a response by
 * the runtime itself; and of an unknown path no error is made. Everything else goes the long way, and is for the schema to judge.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, quickPaths, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const users = api("x", { List: rest("GET /users", [], [z.array(z.object({ name: z.string() }))]) });
 * const list: { name: string }[] = [Object.assign({ name: "ann" }, { passwordHash: "x" })];
 * const serve = handlerWith({ quick: quickPaths }, null, implement(users, { List: () => list }));
 * console.assert(await (await serve(new Request("http://localhost/users"))).text() === '[{"name":"ann"}]');
 * ```
 */
export const quickPaths: NonNullable<ServerParts["quick"]> = {
  test: quickTest,
  arguments(plan) {
    const tests: IsPlain[] = [];
    for (const { schema } of plan.arguments) {
      const test = quickTest(schema);
      if (!test) return undefined;
      tests.push(test);
    }
    return (values) => {
      for (let i = 0; i < tests.length; i++) if (!tests[i](values[i])) return false;
      return true;
    };
  },
  results(writer, offer, choose) {
    const { plan: { status, trusted, result: { shape, schemas } }, responses } = writer;
    const isPlain = shape === "value" && !trusted ? quickTest(schemas[0]) : undefined;
    const isBare = status === 200 && responses.isFixed && !responses.headers.entries && !responses.parts.finish;
    const isJSON = offer.codec.isJSON && offer.headers["content-type"] === "application/json";
    if (!isPlain || !isBare || !isJSON) return undefined;
    return {
      ...writer,
      write(value, call) {
        if (value === undefined || call.ownHeaders || !isPlain(value) || choose(call) !== offer) {
          return writer.write(value, call);
        }
        call.finish();
        // Runtimes make these by themselves, and fastest.
        return Response.json(value);
      },
    };
  },
  unknown({ isFixed, headers: { entries }, codec: { type, encode }, auth, options }, detail, { request }) {
    if (!isFixed || encode !== encodeProblem || auth?.redact || options.onError || request.method === "HEAD") {
      return undefined;
    }
    // To make an error, which notes its stack, takes longer than all the rest.
    const body = `{"status":404,"detail":${JSON.stringify(detail)}}`;
    return new Response(body, { status: 404, headers: { ...entries, "content-type": type } });
  },
};
