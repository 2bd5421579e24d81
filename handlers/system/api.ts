import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { AuthConfig } from "../wire/auth.ts";
import { body, reply } from "../wire/body.ts";
import { AuthReport } from "../wire/compat/registry.ts";
import { Event } from "../wire/system/event.ts";
import { Info } from "../wire/system/info.ts";
import { SystemCheckQuery, SystemCheckReport } from "../wire/system/check.ts";
import { SystemDfReport } from "../wire/system/disk_usage.ts";
import { SystemPruneQuery, SystemPruneReport } from "../wire/system/prune.ts";
import { EventsQuery } from "../wire/system/system_query.ts";
import { SystemComponentVersion } from "../wire/system/version.ts";

/** The service itself, in the native tree. */
export const systemAPI = api("http://localhost", {
  Ping: rest("GET /engine/_ping", [], [stream("text/plain")]),
  PingHead: rest("HEAD /engine/_ping", [], [], { status: 200 }),
  VersionHandler: rest("GET /engine/version", [], [SystemComponentVersion]),
  GetInfo: rest("GET /engine/info", [], [Info]),
  DiskUsage: rest("GET /engine/system/df", [], [SystemDfReport]),
  SystemPrune: rest("POST /engine/system/prune?%v", [SystemPruneQuery], [SystemPruneReport]),
  SystemCheck: rest("POST /engine/system/check?%v", [SystemCheckQuery], [SystemCheckReport]),
  Auth: rest("POST(application/json) /engine/auth", [body(AuthConfig)], [AuthReport], { body: "as-tagged" }),
  ServeSwagger: rest("GET /engine/swagger", [], [stream("text/yaml")]),
  GetEvents: rest("GET(application/json) /engine/events?%v", [EventsQuery], [chan(reply(Event))], {
    body: "as-tagged",
  }),
}, API_OPTIONS);
