import { api, chan, rest } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { ContainerTopOKBody } from "../wire/containers/container.ts";
import {
  ListPodsReport,
  PodChangeReport,
  PodCreateReport,
  PodDeleteQuery,
  PodKillQuery,
  PodPruneReport,
  PodRmReport,
  PodRunReport,
  PodsQuery,
  PodStatsQuery,
  PodStatsReport,
  PodStopQuery,
  PodTopQuery,
} from "../wire/pods/pod.ts";
import { InspectPodData } from "../wire/pods/pod_inspect.ts";
import { PodSpecGenerator } from "../wire/pods/pod_spec.ts";
import { z } from "../wire/zod.ts";

const name = z.string();
const AS_TAGGED = { body: "as-tagged" } as const;

/** Pods, in the native tree. */
export const podsAPI = api("http://localhost", {
  PodCreate: rest(
    "POST(application/json) /engine/pods/create",
    [body(PodSpecGenerator)],
    [PodCreateReport],
    { ...AS_TAGGED, status: 201 },
  ),
  Pods: rest("GET /engine/pods/json?%v", [PodsQuery], [z.array(ListPodsReport)]),
  PodPrune: rest("POST /engine/pods/prune", [], [z.array(PodPruneReport)]),
  PodStats: rest(
    "GET(application/json) /engine/pods/stats?%v",
    [PodStatsQuery],
    [chan(z.array(PodStatsReport))],
    AS_TAGGED,
  ),
  PodInspect: rest("GET /engine/pods/{name=%v}/json", [name], [InspectPodData]),
  PodExists: rest("GET /engine/pods/{name=%v}/exists", [name]),
  PodStart: rest("POST /engine/pods/{name=%v}/start", [name], [PodRunReport]),
  PodStop: rest("POST /engine/pods/{name=%v}/stop?%v", [name, PodStopQuery], [PodRunReport]),
  PodRestart: rest("POST /engine/pods/{name=%v}/restart", [name], [PodChangeReport]),
  PodKill: rest("POST /engine/pods/{name=%v}/kill?%v", [name, PodKillQuery], [PodChangeReport]),
  PodPause: rest("POST /engine/pods/{name=%v}/pause", [name], [PodChangeReport]),
  PodUnpause: rest("POST /engine/pods/{name=%v}/unpause", [name], [PodChangeReport]),
  PodTop: rest(
    "GET(application/json) /engine/pods/{name=%v}/top?%v",
    [name, PodTopQuery],
    [chan(ContainerTopOKBody)],
    AS_TAGGED,
  ),
  PodDelete: rest("DELETE /engine/pods/{name=%v}?%v", [name, PodDeleteQuery], [PodRmReport]),
}, API_OPTIONS);
