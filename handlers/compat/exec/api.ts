import { api, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import { FRAMED_TEXT } from "../../wire/stream_views.ts";
import {
  CompatExecResizeQuery,
  DockerExecSession,
  ExecCreateConfig,
  ExecStartConfig,
  IDResponse,
} from "../../wire/exec/exec.ts";
import { z } from "../../wire/zod.ts";

const text = z.string();

/** Exec sessions, in Docker's tree. */
export const compatExecAPI = api("http://localhost", {
  CompatExecCreateHandler: rest(
    "POST(application/json) /containers/{name=%v}/exec",
    [text, body(ExecCreateConfig)],
    [IDResponse],
    { status: 201, body: "as-tagged" },
  ),
  CompatExecStartHandler: rest(
    "POST(application/json) /exec/{id=%v}/start",
    [text, body(ExecStartConfig)],
    [stream()],
    { body: "as-tagged", view: FRAMED_TEXT },
  ),
  CompatExecResizeTTY: rest("POST /exec/{id=%v}/resize?%v", [text, CompatExecResizeQuery], [], { status: 200 }),
  CompatExecInspectHandler: rest("GET /exec/{id=%v}/json", [text], [DockerExecSession]),
}, API_OPTIONS);
