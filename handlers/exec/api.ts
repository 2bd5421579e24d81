import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { FRAMED_TEXT } from "../wire/stream_views.ts";
import {
  ExecCreateConfig,
  ExecRemoveConfig,
  ExecResizeQuery,
  ExecSocketQuery,
  ExecStartConfig,
  IDResponse,
  InspectExecSession,
} from "../wire/exec/exec.ts";
import { z } from "../wire/zod.ts";

const text = z.string();

/** Exec sessions, in the native tree. */
export const execAPI = api("http://localhost", {
  ExecCreateHandler: rest(
    "POST(application/json) /engine/containers/{name=%v}/exec",
    [text, body(ExecCreateConfig)],
    [IDResponse],
    { status: 201, body: "as-tagged" },
  ),
  ExecStartHandler: rest(
    "POST(application/json) /engine/exec/{id=%v}/start",
    [text, body(ExecStartConfig)],
    [stream()],
    { body: "as-tagged", view: FRAMED_TEXT },
  ),
  ExecWebSocket: rest("GET /engine/exec/{id=%v}/start/ws?%v", [text, ExecSocketQuery], [stream()], {
    view: { as: "console", frames: true, size: { operation: "ExecResizeTTY", rows: "h", columns: "w" } },
  }),
  ExecResizeTTY: rest("POST /engine/exec/{id=%v}/resize?%v", [text, ExecResizeQuery], [], { status: 201 }),
  ExecInspectHandler: rest("GET /engine/exec/{id=%v}/json", [text], [InspectExecSession]),
  ExecRemoveHandler: rest(
    "POST(application/json) /engine/exec/{id=%v}/remove",
    [text, body(ExecRemoveConfig)],
    [],
    { status: 200, body: "as-tagged" },
  ),
}, API_OPTIONS);
