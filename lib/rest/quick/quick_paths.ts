import type { ServerParts } from "../run/core_server.ts";
import { encodeProblem } from "../problem.ts";
import type { IsPlain } from "../run/check_result.ts";
import { isHeaderWriter } from "../codecs/header_value.ts";
import { setHeaders } from "../run/response_headers.ts";
import { noteBody } from "./whole_body.ts";
import { quickTest } from "./plain_values.ts";

/**
 * Shortens three ways: arguments and results pass without asking their schemas where these are zod's and plain, and the values fit them as they are
 * (strings, numbers, booleans, lists and objects, optional and nullable ones, with checks of length and range); such a result is made a response by
 * the runtime itself, and so is an object that goes out unchecked, where the codec would write its kind the same; and of an unknown path no error is
 * made. Everything else goes the long way, and is for the schema to judge.
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
    const { plan: { status, trusted, result: { shape, schemas, kind } }, responses } = writer;
    const { codec } = offer;
    const isBare = status === 200 && responses.isFixed && !responses.headers.entries && !responses.parts.finish;
    const isJSON = codec.isJSON && offer.headers["content-type"] === "application/json";
    if (shape !== "value" || !isBare || !isJSON) return undefined;
    // Of what goes out unchecked nothing is known but its kind.
    const isPlain = trusted ? codec.stringifies?.(kind) && isBareObject : quickTest(schemas[0]);
    if (!isPlain) return undefined;
    return {
      ...writer,
      write(value, call) {
        if (value === undefined || call.ownHeaders || !isPlain(value) || choose(call) !== offer) {
          return writer.write(value, call);
        }
        let response: Response;
        try {
          // Runtimes make these by themselves, and fastest.
          response = Response.json(value);
        } catch {
          // What JSON does not have is for the codec to write, or to refuse.
          return writer.write(value, call);
        }
        call.finish();
        return response;
      },
    };
  },
  responses(writer) {
    const { headers: { perCall }, auth, parts } = writer;
    // Each request has its own answer to the question who may read it.
    if (auth?.cors) return undefined;
    return {
      ...writer,
      respond(status, body, own, call, values) {
        const isLong = !own || Symbol.iterator in own || call.ownHeaders || values && parts.headers?.writes(values) ||
          typeof body === "object" && body instanceof ReadableStream;
        if (isLong) return writer.respond(status, body, own, call, values);
        call.finish?.();
        // Runtimes make a response fastest of a record, and of no status.
        const headers = perCall ? headersOf(own, perCall(call)) : own;
        const response = new Response(body, status === 200 ? { headers } : { status, headers });
        return typeof body === "string" ? noteBody(response, body) : response;
      },
    };
  },
  unknown({ isFixed, headers: { entries }, codec: { type, encode }, auth, options }, detail, { request }) {
    if (!isFixed || encode !== encodeProblem || auth?.redact || options.onError || request.method === "HEAD") {
      return undefined;
    }
    // To make an error, which notes its stack, takes longer than all the rest.
    const body = `{"status":404,"detail":${JSON.stringify(detail)}}`;
    return noteBody(new Response(body, { status: 404, headers: { ...entries, "content-type": type } }), body);
  },
};

/** Puts headers on top of those of a record, whose names are in lower case: in a record again, which runtimes read fastest, where that can say them. */
function headersOf(record: Record<string, string>, added: HeadersInit): HeadersInit {
  if (!(Symbol.iterator in added)) {
    const all = { ...record };
    const names = Object.keys(added);
    for (const name of names) all[name.toLowerCase()] = added[name];
    // Otherwise some combine.
    const isEachAlone = !("vary" in all || "set-cookie" in all || names.includes("__proto__")) &&
      new Set(names.map((name) => name.toLowerCase())).size === names.length;
    if (isEachAlone) return all;
  }
  const all = new Headers(record);
  setHeaders(all, added);
  return all;
}

/** Whether a value is no more than its fields: no response, and nothing that writes headers. */
const isBareObject: IsPlain = (value) =>
  typeof value === "object" && value !== null && value.constructor === Object && !isHeaderWriter(value);
