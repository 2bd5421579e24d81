import { api, rest, stream } from "../../lib/rest/mod.ts";
import { METRICS_TYPE } from "../wire/monitor/open_metrics.ts";
import { API_OPTIONS } from "../wire/api_options.ts";

/** Operations for those who watch the service: whether it is well, and its figures. */
export const monitorAPI = api("http://localhost", {
  CheckHealth: rest("GET /healthz", [], [stream("text/plain")]),
  ReadMetrics: rest("GET /metrics", [], [stream(METRICS_TYPE)]),
}, API_OPTIONS);
