import { assertEquals } from "@std/assert";
import { badParameter, engineErrors, statusOf } from "../../handlers/errors.ts";
import { EngineError, type ErrorCode } from "../../lib/engine/errors.ts";
import { HTTPError } from "../../lib/rest/mod.ts";
import { openTestEngine } from "../fixtures/handlers/test_engine.ts";
import { RequestError } from "../../handlers/request_error.ts";
import type { RequestCode } from "../../handlers/statuses.ts";

const request = new Request("http://d/");

Deno.test("statusOf() maps each code, and some by operation", () => {
  const rows: [code: ErrorCode, operation: string, status: number][] = [
    ["invalid", "", 400],
    ["no_such_container", "GetContainer", 404],
    ["no_such_image", "", 404],
    ["ambiguous", "GetContainer", 404],
    ["ambiguous", "RemoveContainer", 500],
    ["name_in_use", "CreateContainer", 500],
    ["name_in_use", "CompatCreateContainer", 409],
    ["name_in_use", "RenameContainer", 409],
    ["no_such_image", "CompatCreateContainer", 404],
    ["no_such_container", "CompatCreateContainer", 500],
    ["no_such_network", "CreateContainer", 500],
    ["in_use", "ImagesRemove", 409],
    ["state", "PauseContainer", 500],
    ["state", "KillContainer", 409],
    ["state", "ResizeTTY", 409],
    ["state", "InitContainer", 304],
    ["unchanged", "StartContainer", 304],
    ["unsupported", "StartContainer", 501],
    ["command_not_found", "StartContainer", 500],
    ["internal", "", 500],
  ];
  for (const [code, operation, status] of rows) {
    assertEquals(statusOf(new EngineError(code, "text"), operation), status, `${code} of ${operation}`);
  }
  assertEquals(statusOf(new EngineError("registry", "text", { status: 429 })), 429);
  assertEquals(statusOf(new EngineError("registry", "text", { status: 302 })), 500);
  assertEquals(statusOf(new EngineError("registry", "text")), 500);
});

Deno.test("a RequestError's code decides its status, by operation where that differs", () => {
  const rows: [code: RequestCode, operation: string, status: number][] = [
    ["malformed", "", 400],
    ["malformed", "CompatCreateContainer", 400],
    ["refused", "ImageSearch", 500],
    ["invalid", "", 400],
    ["invalid", "CompatCreateContainer", 400],
    ["invalid", "CreateContainer", 500],
    ["invalid", "ListContainers", 500],
    ["unsupported", "CreateContainer", 501],
    ["no_such_container", "ContainerRestore", 404],
  ];
  for (const [code, name, status] of rows) {
    const error = new RequestError(code, "text", { field: "Cmd", sentinel: "innermost" });
    assertEquals(error.field, "Cmd");
    assertEquals(engineErrors.encode(error, { status: 500, request, name }), {
      status,
      body: { cause: "innermost", message: "text", response: status },
    });
  }
});

Deno.test("a query that does not parse is 400, and 500 where Podman's reader answers so", () => {
  const error = badParameter("all", "x", "no boolean");
  const encode = (name: string) => engineErrors.encode(error, { status: 500, request, name }).status;
  assertEquals([error.field, encode("ImageList")], ["all", 400]);
  const readers = ["ListContainers", "RemoveNetwork", "RemoveVolume", "CompatRemoveVolume"];
  assertEquals(readers.map(encode), readers.map(() => 500));
});

Deno.test("engineErrors.encode() writes cause, message and response", () => {
  const sentinel = "no such container";
  const error = new EngineError("no_such_container", `no container with name or ID "x" found: ${sentinel}`, {
    sentinel,
  });
  assertEquals(engineErrors.encode(error, { status: 500, request, name: "GetContainer" }), {
    status: 404,
    body: { cause: sentinel, message: `no container with name or ID "x" found: ${sentinel}`, response: 404 },
  });
  assertEquals(engineErrors.encode(new EngineError("unchanged", "running"), { status: 500, request }), {
    status: 304,
    body: null,
  });
});

Deno.test("engineErrors.encode() says nothing of a defect", () => {
  assertEquals(engineErrors.encode(new TypeError("secret path /etc/x"), { status: 500, request }), {
    status: 500,
    body: { cause: "Internal error", message: "Internal error", response: 500 },
  });
});

Deno.test("badParameter() words the parameter and its value", () => {
  const error = badParameter("tail", "x", new SyntaxError("not a number"));
  assertEquals([error.status, error.message], [400, `failed to parse query parameter 'tail': "x": not a number`]);
});

Deno.test("engineErrors.encode() tells of a full disk, and nothing of other defects", () => {
  const context = { status: 500, request: new Request("http://d/libpod/containers/create") };
  const message = (error: Error) => engineErrors.encode(error, context).body;
  const full = { cause: "no space left on device", message: "no space left on device", response: 500 };
  assertEquals(message(Object.assign(new Error("write"), { code: "ENOSPC" })), full);
  assertEquals(message(new Error("database or disk is full")), full);
  assertEquals(message(new Error("secret")), { cause: "Internal error", message: "Internal error", response: 500 });
  // The transport quotes the request, which is no word of the disk.
  const quoted = 'Read "size": "database or disk is full" is not a number';
  assertEquals(engineErrors.encode(new HTTPError(400, quoted), { ...context, status: 400 }).status, 400);
});

Deno.test("engineErrors.decode() gives back what was written", () => {
  const error = engineErrors.decode(404, { cause: "no such container", message: "whole text", response: 404 });
  assertEquals(error instanceof HTTPError && [error.status, error.message, error.cause], [
    404,
    "whole text",
    "no such container",
  ]);
  assertEquals(engineErrors.decode(404, "Not Found\n").message, "Not Found");
  assertEquals(engineErrors.decode(502, undefined).message, "Answered with status 502");
});

Deno.test("unknown paths and methods answer plain text, like Podman", async () => {
  await using test = await openTestEngine({ pulled: false });
  const unknown = await test.send("GET", "/v4.3.1/libpod/nothing");
  assertEquals([unknown.status, await unknown.text()], [404, "Not Found\n"]);
  assertEquals(unknown.headers.get("content-type")?.startsWith("text/plain"), true);
  const method = await test.send("PUT", "/libpod/info");
  assertEquals([method.status, await method.text(), method.headers.get("allow")], [
    405,
    "Method Not Allowed\n",
    "GET, HEAD",
  ]);
});

Deno.test("a path with a slash twice is answered 301 to the path with one, and to nowhere else", async () => {
  await using test = await openTestEngine();
  const rows = [["/v3.0.0//containers/json?all=true", "/v3.0.0/containers/json?all=true"], [
    "//example.com/x",
    "/example.com/x",
  ]];
  for (const [path, location] of rows) {
    const reply = await test.send("GET", path);
    assertEquals([reply.status, reply.headers.get("location")], [301, location]);
  }
  assertEquals((await test.send("GET", "/libpod/_ping?to=http://x//y")).status, 200);
});

Deno.test("paths of Docker's tree that are not there answer an error its clients show", async () => {
  await using test = await openTestEngine({ pulled: false });
  const reply = await test.send("GET", "/v1.41/nowhere/at/all");
  const message = "GET /nowhere/at/all: this API has no such operation";
  assertEquals([reply.status, await reply.json()], [404, { cause: "not found", message, response: 404 }]);
  const put = await test.send("PUT", "/v1.47/containers/json");
  const { message: why } = await put.json();
  assertEquals([put.status, put.headers.get("allow")], [405, "DELETE, GET, HEAD"]);
  assertEquals(why, "PUT /containers/json: this API has no such operation");
});

Deno.test("operations that are not there answer an error its clients read", async () => {
  await using test = await openTestEngine({ pulled: false });
  const rows: [method: string, path: string, status: number, message: string][] = [
    ["POST", "/v1.44/session", 400, "Take the connection over: the header Upgrade must be h2c"],
    ["POST", "/grpc", 400, "Take the connection over: the header Upgrade must be h2c"],
    ["POST", "/v1.44/build/cancel", 501, "POST /build/cancel is not supported: a build ends with its connection"],
    ["POST", "/engine/containers/x/commit", 404, "POST /containers/x/commit: this API has no such operation"],
    [
      "POST",
      "/v4.3.1/libpod/containers/x/shouldrestart",
      404,
      "POST /containers/x/shouldrestart: this API has no such operation",
    ],
    ["GET", "/libpod/networks/x/json", 404, "unable to find network with name or ID x: network not found"],
    ["GET", "/libpod/pods/x/json", 404, "no pod with name or ID x found: no such pod"],
  ];
  for (const [method, path, status, message] of rows) {
    const answer = await test.send(method, path);
    const body = await answer.json();
    assertEquals([answer.status, body.response, body.message], [status, status, message]);
  }
});

Deno.test("every reply carries the headers clients negotiate by", async () => {
  await using test = await openTestEngine({ pulled: false });
  for (const path of ["/_ping", "/libpod/info", "/containers/none/json", "/nothing", "/v1.99/info"]) {
    const { headers } = await test.send("GET", path, undefined, { "X-Reference-Id": "mine" });
    assertEquals(headers.get("api-version"), "1.52", path);
    assertEquals(headers.get("libpod-api-version"), "6.0.0-dev", path);
    assertEquals(headers.get("server"), "Libpod/6.0.0-dev (linux)", path);
    assertEquals(headers.get("x-reference-id"), "mine", path);
  }
  const first = await test.send("GET", "/_ping");
  const second = await test.send("GET", "/_ping");
  assertEquals(first.headers.get("x-reference-id") !== second.headers.get("x-reference-id"), true);
});
