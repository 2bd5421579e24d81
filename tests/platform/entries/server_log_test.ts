import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RequestEntry } from "../../../handlers/monitor/watch_requests.ts";
import { RequestError } from "../../../handlers/request_error.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { LogLevel } from "../../../lib/engine/ports/log.ts";
import { HTTPError } from "../../../lib/rest/mod.ts";
import { type LogFormat, makeServerLog, requestLogger } from "../../../lib/platform/entries/server_log.ts";

function logInto(lines: string[], level: LogLevel, format: LogFormat) {
  return makeServerLog({ level, format, write: (line) => void lines.push(line), now: () => 1_700_000_000_123 });
}

Deno.test("makeServerLog() writes times and levels, and leaves out what is less important", () => {
  const lines: string[] = [];
  const log = logInto(lines, "info", "text");
  log("info", "ready");
  log("debug", "detail");
  log("error", "two\nlines\x1b[31m");
  assertEquals(lines, [
    "2023-11-14T22:13:20.123Z gantry: info: ready",
    "2023-11-14T22:13:20.123Z gantry: error: two\n    lines [31m",
  ]);
});

Deno.test("makeServerLog() writes one JSON object in each line", () => {
  const lines: string[] = [];
  logInto(lines, "debug", "json")("warn", 'a "quoted"\nline');
  assertEquals(lines.map((line) => JSON.parse(line)), [
    { time: "2023-11-14T22:13:20.123Z", level: "warn", message: 'a "quoted"\nline' },
  ]);
  assert(!lines[0].includes("\n"), "one line");
});

Deno.test("requestLogger() gives failures their level, reason and, for defects, their place", () => {
  const seen: [LogLevel, string][] = [];
  const write = requestLogger((level, message) => void seen.push([level, message]));
  const entry = (method: string, status: number, error?: unknown): RequestEntry => ({
    ...{ method, path: "/x", operation: "X", status, duration: 1.25, error },
  });
  write(entry("GET", 200));
  write(entry("GET", 404, new EngineError("no_such_container", "no container x")));
  write(entry("POST", 409, new EngineError("in_use", "x is in use")));
  write(entry("POST", 500, new EngineError("internal", "crun says no")));
  write(entry("POST", 501, new EngineError("unsupported", "there is no kernel")));
  write(entry("GET", 500, new TypeError("undefined is no function")));
  assertEquals(seen.map(([level]) => level), ["debug", "debug", "info", "error", "info", "error"]);
  assertEquals(seen[3][1], "POST /x 500 in 1.3 ms: crun says no");
  assertStringIncludes(seen[5][1], "undefined is no function\n    at ");
  // Podman's status for a mistake of the caller, and a caller who has gone.
  seen.length = 0;
  write(entry("POST", 500, new EngineError("state", "x is not running")));
  write(entry("POST", 500, new DOMException("The peer has gone", "AbortError")));
  write(entry("POST", 500, new EngineError("corrupt", "a record does not parse")));
  write(entry("POST", 500, new RequestError("refused", "must specify image")));
  assertEquals(seen.map(([level]) => level), ["info", "info", "error", "info"]);
  assertEquals(seen[1][1], "POST /x 500 in 1.3 ms: The peer has gone");
  // A path that other servers have says nothing of this one.
  seen.length = 0;
  write(entry("POST", 404, new HTTPError(404, "Find the operation: there is none", { kind: "route" })));
  write(entry("POST", 405, new HTTPError(405, "Find the operation: it has no POST", { kind: "method" })));
  assertEquals(seen.map(([level]) => level), ["debug", "info"]);
});
