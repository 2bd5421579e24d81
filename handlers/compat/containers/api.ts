import { api, chan, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import { ContainerInspect, ContainersPruneReport, ContainerSummary } from "../../wire/compat/container.ts";
import { CreateContainerConfig } from "../../wire/compat/container_create.ts";
import { UpdateConfig, UpdateResponse } from "../../wire/compat/container_update.ts";
import {
  CompatAttachQuery,
  CompatCreateQuery,
  CompatKillQuery,
  CompatListContainersQuery,
  CompatLogsQuery,
  CompatRemoveQuery,
  CompatResizeQuery,
  CompatSizeQuery,
  CompatStartQuery,
  CompatStatsQuery,
  CompatStopQuery,
  CompatTopQuery,
  CompatWaitQuery,
} from "../../wire/compat/query.ts";
import { StatsJSON } from "../../wire/compat/stats.ts";
import { ContainerCreateResponse, ContainerTopOKBody } from "../../wire/containers/container.ts";
import { PruneQuery, RenameQuery } from "../../wire/containers/container_query.ts";
import { FRAMED_TEXT } from "../../wire/stream_views.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();

/** Containers, in Docker's tree. */
export const compatContainersAPI = api("http://localhost", {
  CompatCreateContainer: rest(
    "POST(application/json) /containers/create?%[2]v",
    [body(CreateContainerConfig), CompatCreateQuery],
    [ContainerCreateResponse],
    { status: 201, body: "as-tagged" },
  ),
  CompatListContainers: rest("GET /containers/json?%v", [CompatListContainersQuery], [z.array(ContainerSummary)]),
  CompatPruneContainers: rest("POST /containers/prune?%v", [PruneQuery], [ContainersPruneReport]),
  CompatGetContainer: rest("GET /containers/{name=%v}/json?%v", [name, CompatSizeQuery], [ContainerInspect]),
  CompatStartContainer: rest("POST /containers/{name=%v}/start?%v", [name, CompatStartQuery]),
  CompatStopContainer: rest("POST /containers/{name=%v}/stop?%v", [name, CompatStopQuery]),
  CompatRestartContainer: rest("POST /containers/{name=%v}/restart?%v", [name, CompatStopQuery]),
  CompatKillContainer: rest("POST /containers/{name=%v}/kill?%v", [name, CompatKillQuery]),
  CompatPauseContainer: rest("POST /containers/{name=%v}/pause", [name]),
  CompatUnpauseContainer: rest("POST /containers/{name=%v}/unpause", [name]),
  CompatWaitContainer: rest(
    "POST /containers/{name=%v}/wait?%v",
    [name, CompatWaitQuery],
    [stream("application/json")],
  ),
  CompatRemoveContainer: rest("DELETE /containers/{name=%v}?%v", [name, CompatRemoveQuery]),
  CompatLogsFromContainer: rest("GET /containers/{name=%v}/logs?%v", [name, CompatLogsQuery], [stream()], {
    view: FRAMED_TEXT,
  }),
  CompatAttachContainer: rest("POST /containers/{name=%v}/attach?%v", [name, CompatAttachQuery], [stream()], {
    view: FRAMED_TEXT,
  }),
  CompatAttachWebSocket: rest("GET /containers/{name=%v}/attach/ws?%v", [name, CompatAttachQuery], [stream()], {
    view: { as: "console", size: { operation: "CompatResizeTTY", rows: "h", columns: "w" } },
  }),
  CompatResizeTTY: rest("POST /containers/{name=%v}/resize?%v", [name, CompatResizeQuery], [], { status: 200 }),
  CompatTopContainer: rest(
    "GET(application/json) /containers/{name=%v}/top?%v",
    [name, CompatTopQuery],
    [chan(ContainerTopOKBody)],
    { body: "as-tagged" },
  ),
  CompatUpdateContainer: rest(
    "POST(application/json) /containers/{name=%v}/update",
    [name, body(UpdateConfig)],
    [UpdateResponse],
    { body: "as-tagged" },
  ),
  CompatStatsContainer: rest(
    "GET(application/json) /containers/{name=%v}/stats?%v",
    [name, CompatStatsQuery],
    [chan(StatsJSON)],
    { body: "as-tagged" },
  ),
  CompatRenameContainer: rest("POST /containers/{name=%v}/rename?%v", [name, RenameQuery]),
}, API_OPTIONS);
