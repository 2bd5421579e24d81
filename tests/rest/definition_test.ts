import { assert, assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "../fixtures/zod.ts";
import {
  api,
  type APIOptions,
  bytes,
  chan,
  DefinitionError,
  error,
  int64,
  namespace,
  rest,
  stream,
  time,
} from "../../lib/rest/mod.ts";
import type { Operations } from "../../lib/rest/mod.ts";

function problemsOf(operations: Operations, options: APIOptions = {}): readonly string[] {
  const thrown = assertThrows(() => api("x", operations, options), DefinitionError);
  assertInstanceOf(thrown, TypeError);
  return thrown.problems;
}

const Texts = z.record(z.string(), z.string());
const User = z.object({ id: z.string(), name: z.string() });

Deno.test("api() names function, tag and column of every problem at once", () => {
  const problems = problemsOf({
    One: rest("get /x" as string),
    Two: rest("GET /x/{a=%[3]v}" as string, [z.string()]),
  });
  assertEquals(problems.length, 3);
  assertStringIncludes(problems[0], `Define "One": a tag begins with a method`);
  assertStringIncludes(problems[0], `column 1 of "get /x"`);
  assertStringIncludes(problems[1], `Define "Two": argument 3 is not there: there are 1: column 11 of`);
});

Deno.test("api() refuses what cannot be carried", () => {
  const cases: [string, Operations, string][] = [
    ["a body of GET", { F: rest("GET /x", [z.string()]) }, "GET has no body"],
    ["a struct in the path", { F: rest("GET /{a=%v}", [User]) }, "a struct cannot stand there"],
    ["a spread scalar", { F: rest("GET /?%v", [z.string()]) }, "only a struct or a map can be spread"],
    ["a field nobody has", { F: rest("PUT /{nope}" as string, [User]) }, `no struct argument has a field "nope"`],
    ["a bigint", { F: rest("GET /{a=%v}", [z.bigint()]) }, "use int64 or uint64"],
    ["a date", { F: rest("GET /{a=%v}", [z.date()]) }, "use time"],
    ["bare bytes", { F: rest("POST(application/json) /", [z.instanceof(Uint8Array)]) }, "use bytes"],
    ["an unknown body", { F: rest("POST /", [z.unknown()]) }, "the kind of argument 1 cannot be told"],
    ["an unknown result", { F: rest("GET /", [], [z.any()]) }, "the kind of result 1 cannot be told"],
    ["rules too many", { F: rest("POST / (a,b)" as string, [User]) }, "2 argument rules for 1 arguments"],
    ["result rules too many", { F: rest("GET / a,b" as string, [], [User]) }, "2 result rules for 1 results"],
    ["error not last", { F: rest("GET /", [], [error, User]) }, "only the last result can be error"],
    [
      "a file alone",
      { F: rest("GET /", [], [z.file()]) },
      "cannot carry the result, which holds a file: take stream()",
    ],
    [
      "a file with a type of its own",
      { F: rest("POST(image/png) /", [z.file().mime("image/png")]) },
      '"image/png" cannot carry the body, which holds a file: take stream("image/png") in its place',
    ],
    [
      "a Blob in JSON",
      { F: rest("POST /", [z.object({ a: z.instanceof(Blob) })]) },
      "which holds a file: take stream()",
    ],
    ["a File of arktype in JSON", { F: rest("GET /", [], [type({ a: "File" })]) }, "which holds a file: take stream()"],
    ["a file of valibot", { F: rest("POST /", [toStandardJsonSchema(v.file())]) }, "which holds a file: take stream()"],
    [
      "a file in a query",
      { F: rest("POST /?a=%v", [z.file()]) },
      "argument 1 holds a file, which cannot stand in path",
    ],
    ["a file in a header", { F: rest("GET / X-A:", [], [z.file()]) }, "a result holds a file, which cannot stand in a"],
    [
      "a channel of files",
      { F: rest("GET /", [], [chan(z.file())]) },
      '"application/x-ndjson" cannot carry the result',
    ],
    ["a file in JSON", { F: rest("POST /", [z.object({ a: z.array(z.file()).optional() })]) }, "cannot carry the body"],
    ["a stream and more", { F: rest("POST /", [stream(), User]) }, "takes the whole body"],
    ["a stream result and more", { F: rest("GET /", [], [stream(), User]) }, "must be the only one"],
    ["an error argument", { F: rest("POST /", [error]) }, "only a result can be"],
    ["a channel argument of GET", { F: rest("GET /", [chan(User)]) }, "GET has no body"],
    ["a stream of HEAD", { F: rest("HEAD /", [], [stream()]) }, "HEAD has no body: result 1 is a stream"],
    ["a channel of HEAD", { F: rest("HEAD /", [], [chan(User)]) }, "HEAD has no body: result 1 is a chan"],
    ["a marker within an object", { F: rest("POST /", [z.object({ id: int64 })]) }, "within an object take z.bigint()"],
    ["a bare Date as JSON", { F: rest("POST(application/json) /", [z.date()]) }, "argument 1 is carried by a marker"],
    [
      "a bare bigint as JSON",
      { F: rest("GET(application/json) /", [], [z.bigint()]) },
      "result 1 is carried by a marker",
    ],
    ["a channel of Dates", { F: rest("GET /", [], [chan(z.date())]) }, "the items of result 1 are carried by a marker"],
    ["a fragment", { F: rest("GET /x#y") }, "what stands behind # never arrives"],
    ["a method no client sends", { F: rest("TRACE /x") }, "no client of fetch can send TRACE"],
    ["a struct as text", { F: rest("POST(text/plain) /", [User]) }, '"text/plain" cannot carry the body, a struct'],
    ["text as a form", { F: rest("POST(multipart/form-data) /", [z.string()]) }, "cannot carry the body, a string"],
    ["a result without codec", { F: rest("GET(application/xml) /", [], [User]) }, "cannot carry the result, a struct"],
    [
      "a status that is none",
      { F: rest("GET /", [], [], { status: 99 }) },
      "the status 99 is not one of success: 200 to 399",
    ],
    ["a status of failure", { F: rest("GET /", [], [], { status: 404 }) }, "the status 404 is not one of success"],
    ["a result of 204", { F: rest("GET /", [], [User], { status: 204 }) }, "of status 204 has no body"],
    ["a limit that is none", { F: rest("POST /", [User], [], { limit: NaN }) }, "the limit NaN is not a number"],
    ["two structs in a query", { F: rest("GET /?%v&%v", [User, User]) }, '"id" stands for argument 1 and for 2'],
    ["a struct over a name", { F: rest("GET /?id=%v&%v", [z.string(), User]) }, '"id" stands for argument 1 and for 2'],
    ["two maps in a query", { F: rest("GET /?%v&%v", [Texts, Texts]) }, "arguments 1 and 2 are maps"],
    ["versions", { F: rest("GET /", [], [], { versions: "four" }) }, "is not a comparison"],
  ];
  for (const [what, operations, message] of cases) {
    const problems = problemsOf(operations);
    assert(problems.some((problem) => problem.includes(message)), `${what}: ${problems.join("; ")}`);
  }
});

Deno.test("defect: api() refuses names that every object has, which would be called without an implementation", () => {
  for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty", "then"]) {
    for (const operations of [{ [name]: rest("GET /x") }, { Inner: namespace({ [name]: rest("GET /x") }) }]) {
      assertEquals(problemsOf(operations), [`Define "${name}": JavaScript has a use of its own for this name`]);
    }
  }
});

Deno.test("defect: api() names what is no schema, and what has no JSON Schema, instead of failing on it", () => {
  for (const stranger of [undefined, null, 5, "int64", {}]) {
    // What only a program without types can give.
    const schemas = [stranger as never];
    const problems = problemsOf({ F: rest("POST /" as string, schemas), G: rest("GET /" as string, [], schemas) });
    assertEquals(problems, [
      'Define "F": argument 1 is no Standard Schema: "POST /"',
      'Define "G": result 1 is no Standard Schema: "GET /"',
    ]);
  }
  const [problem] = problemsOf({ F: rest("POST /", [v.string()]) });
  assertStringIncludes(problem, "it has no JSON Schema part: wrap it");
});

Deno.test("api() takes what it cannot tell the kind of where the tag names a content type", () => {
  const { plans } = api("x", { F: rest("POST(application/json) /", [z.unknown()], [z.any()]) });
  assertEquals([plans[0].body?.contentType, plans[0].result.contentType], ["application/json", "application/json"]);
});

Deno.test("api() finds duplicates, whatever the names", () => {
  const problems = problemsOf({
    A: rest("GET /users/{id=%v}", [z.string()]),
    B: rest("GET /users/{name=%v}", [z.string()]),
    C: rest("GET /users/{id=%v}?a=b", [z.string()]),
    D: rest("GET /users/{id=%v}", [z.string()], [], { present: ["x"] }),
    E: rest("GET /users/{id=%v}", [z.string()], [], { versions: "<4" }),
    F: rest("POST /users/{id=%v}", [z.string()]),
  }, { versioned: true });
  assertEquals(problems, [
    `Define "B": "GET /users/{name=%v}" takes the same requests as "A": "GET /users/{id=%v}"`,
  ]);
});

Deno.test("api() finds paths that two operations fit equally well", () => {
  const problems = problemsOf({
    A: rest("GET /m/{a*=%v}/tag/{b*=%v}", [z.string(), z.string()]),
    B: rest("GET /m/{a*=%v}/push/{b*=%v}", [z.string(), z.string()]),
  });
  assertStringIncludes(problems[0], "fit some paths equally well");
});

Deno.test("api() chooses content types by kind", () => {
  const type = (operation: ReturnType<typeof rest>) => api("x", { F: operation }).plans[0].result.contentType;
  assertEquals(type(rest("GET /", [], [z.string()])), "text/plain");
  assertEquals(type(rest("GET /", [], [z.number()])), "text/plain");
  assertEquals(type(rest("GET /", [], [int64])), "text/plain");
  assertEquals(type(rest("GET /", [], [time])), "text/plain");
  assertEquals(type(rest("GET /", [], [bytes])), "text/plain");
  assertEquals(type(rest("GET /", [], [z.enum(["a", "b"])])), "text/plain");
  assertEquals(type(rest("GET(application/json) /", [], [z.string()])), "application/json");
  assertEquals(type(rest("GET /", [], [User])), "application/json");
  assertEquals(type(rest("GET /", [], [z.array(z.string())])), "application/json");
  assertEquals(type(rest("GET / a", [], [z.string()])), "application/json");
  assertEquals(type(rest("GET /", [], [z.string(), z.string()])), "application/json");
  assertEquals(type(rest("GET /", [], [stream("application/x-tar")])), "application/x-tar");
  assertEquals(type(rest("GET /", [], [stream()])), "application/octet-stream");
  assertEquals(type(rest("GET /", [], [chan(User)])), "application/x-ndjson");
  assertEquals(type(rest("GET(application/json) /", [], [chan(User)])), "application/json");
  assertEquals(type(rest("POST(application/x-tar) /", [stream()], [User])), "application/json");
});

Deno.test("rest() checks the tag against its schemas when it compiles", () => {
  // @ts-expect-error the tag has one argument more than there are schemas
  rest("GET /x/{a=%v}", []);
  // @ts-expect-error there is no second argument
  rest("GET /x/{a=%[2]v}", [z.string()]);
  // @ts-expect-error the one argument stands in the path already
  rest("POST /x/{a=%v} (b)", [z.string()]);
  // @ts-expect-error two rules for one result
  rest("POST /x x,y", [], [z.string()]);
  // @ts-expect-error no argument has such a field
  rest("PUT /users/{nope}", [User]);
  rest("PUT /users/{id}", [User]);
  rest("POST /x/{a=%v} (b,c) d", [z.string(), z.string(), int64], [z.string(), error]);
  rest("GET /%[2]v/%[1]v/%[2]v", [z.string(), z.string()]);
});

Deno.test("rest() finds fields by the rest name of their metadata", () => {
  const Named = z.object({ id: z.string().meta({ rest: "ID" }) });
  const { plans } = api("x", { F: rest("PUT /x/{ID}" as string, [Named]) });
  assertEquals(plans[0].parameters[0].path, ["id"]);
  assertEquals(plans[0].body, undefined);
});

Deno.test("api() says how an argument of its own stands in a path, and that schemas come in lists", () => {
  const own = problemsOf({ Get: rest("GET /users/{id}" as string, [z.string()]) });
  assertStringIncludes(own[0], `no struct argument has a field "id": an argument of its own is {id=%v}`);
  const query = problemsOf({ Find: rest("GET /users?name" as string, [z.string()]) });
  assertStringIncludes(query[0], `no struct argument has a field "name": an argument of its own is name=%v`);
  // A program in JavaScript has no types.
  const bare = { tag: "GET /users", args: [], results: User, options: {} } as unknown as Operations[string];
  assertEquals(problemsOf({ List: bare }), ['Define "List": the results are no list of schemas: "GET /users"']);
});
