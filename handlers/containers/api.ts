import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { ARCHIVE_LIMIT } from "../wire/files/file.ts";
import { body, reply } from "../wire/body.ts";
import { CheckpointQuery, RestoreQuery, RestoreReport } from "../wire/containers/checkpoint.ts";
import { StatsJSON } from "../wire/compat/stats.ts";
import {
  ContainerCreateResponse,
  ContainerTopOKBody,
  ListContainer,
  PruneReport,
  RmReport,
} from "../wire/containers/container.ts";
import { InspectContainerData } from "../wire/containers/container_inspect.ts";
import {
  AttachQuery,
  ExistsQuery,
  KillQuery,
  ListContainersQuery,
  LogsQuery,
  PruneQuery,
  RemoveQuery,
  RenameQuery,
  ResizeQuery,
  SizeQuery,
  StartQuery,
  StatsOneQuery,
  StatsQuery,
  StopQuery,
  TopQuery,
  UpdateQuery,
  WaitQuery,
} from "../wire/containers/container_query.ts";
import { HealthCheckResults } from "../wire/containers/health.ts";
import { UpdateEntities } from "../wire/containers/container_update.ts";
import { SpecGenerator } from "../wire/containers/spec_generator.ts";
import { ContainerStatsReport } from "../wire/containers/stats.ts";
import { FRAMED_TEXT } from "../wire/stream_views.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** Containers, in the native tree. */
export const containersAPI = api("http://localhost", {
  CreateContainer: rest(
    "POST(application/json) /engine/containers/create",
    [body(SpecGenerator)],
    [ContainerCreateResponse],
    { status: 201, body: "as-tagged" },
  ),
  ListContainers: rest("GET /engine/containers/json?%v", [ListContainersQuery], [z.array(ListContainer)]),
  PruneContainers: rest("POST /engine/containers/prune?%v", [PruneQuery], [z.array(PruneReport)]),
  GetContainer: rest("GET /engine/containers/{name=%v}/json?%v", [name, SizeQuery], [InspectContainerData]),
  ContainerExists: rest("GET /engine/containers/{name=%v}/exists?%v", [name, ExistsQuery]),
  InitContainer: rest("POST /engine/containers/{name=%v}/init", [name]),
  StartContainer: rest("POST /engine/containers/{name=%v}/start?%v", [name, StartQuery]),
  StopContainer: rest("POST /engine/containers/{name=%v}/stop?%v", [name, StopQuery]),
  RestartContainer: rest("POST /engine/containers/{name=%v}/restart?%v", [name, StopQuery]),
  KillContainer: rest("POST /engine/containers/{name=%v}/kill?%v", [name, KillQuery]),
  PauseContainer: rest("POST /engine/containers/{name=%v}/pause", [name]),
  UnpauseContainer: rest("POST /engine/containers/{name=%v}/unpause", [name]),
  WaitContainer: rest("POST /engine/containers/{name=%v}/wait?%v", [name, WaitQuery], [stream("text/plain")]),
  RemoveContainer: rest("DELETE /engine/containers/{name=%v}?%v", [name, RemoveQuery], [z.array(RmReport)]),
  LogsFromContainer: rest("GET /engine/containers/{name=%v}/logs?%v", [name, LogsQuery], [stream()], {
    view: FRAMED_TEXT,
  }),
  AttachContainer: rest("POST /engine/containers/{name=%v}/attach?%v", [name, AttachQuery], [stream()], {
    view: FRAMED_TEXT,
  }),
  AttachWebSocket: rest("GET /engine/containers/{name=%v}/attach/ws?%v", [name, AttachQuery], [stream()], {
    view: { as: "console", frames: true, size: { operation: "ResizeTTY", rows: "h", columns: "w" } },
  }),
  ResizeTTY: rest("POST /engine/containers/{name=%v}/resize?%v", [name, ResizeQuery], [], { status: 200 }),
  RunHealthCheck: rest("GET /engine/containers/{name=%v}/healthcheck", [name], [HealthCheckResults]),
  TopContainer: rest(
    "GET(application/json) /engine/containers/{name=%v}/top?%v",
    [name, TopQuery],
    [chan(ContainerTopOKBody)],
    { body: "as-tagged" },
  ),
  Checkpoint: rest("POST /engine/containers/{name=%v}/checkpoint?%v", [name, CheckpointQuery], [stream()]),
  Restore: rest(
    "POST(application/x-tar) /engine/containers/{name=%v}/restore?%v",
    [name, RestoreQuery, stream("application/x-tar")],
    [RestoreReport],
    { body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  UpdateContainer: rest(
    "POST /engine/containers/{name=%v}/update?%[3]v",
    [name, body(UpdateEntities), UpdateQuery],
    [z.string()],
    { status: 201, body: "as-tagged" },
  ),
  StatsContainer: rest(
    "GET(application/json) /engine/containers/stats?%v",
    [StatsQuery],
    [chan(reply(ContainerStatsReport))],
    { body: "as-tagged" },
  ),
  StatsOneContainer: rest(
    "GET(application/json) /engine/containers/{name=%v}/stats?%v",
    [name, StatsOneQuery],
    [chan(StatsJSON)],
    { body: "as-tagged" },
  ),
  RenameContainer: rest("POST /engine/containers/{name=%v}/rename?%v", [name, RenameQuery]),
}, API_OPTIONS);
