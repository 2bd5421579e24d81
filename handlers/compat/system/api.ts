import { api, chan, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { reply } from "../../wire/body.ts";
import { DiskUsageQuery, DockerDiskUsage } from "../../wire/compat/disk_usage.ts";
import { ListPluginsQuery, Plugin } from "../../wire/compat/plugin.ts";
import { z } from "../../wire/zod.ts";
import { Info } from "../../wire/compat/info.ts";
import { Event } from "../../wire/system/event.ts";
import { CachePruneReport, PruneBuildQuery } from "../../wire/system/prune.ts";
import { CompatEventsQuery } from "../../wire/system/system_query.ts";
import { SystemComponentVersion } from "../../wire/system/version.ts";

/** The service itself, in Docker's tree. */
export const compatSystemAPI = api("http://localhost", {
  CompatPing: rest("GET /_ping", [], [stream("text/plain")]),
  CompatPingHead: rest("HEAD /_ping", [], [], { status: 200 }),
  CompatVersionHandler: rest("GET /version", [], [SystemComponentVersion]),
  CompatGetInfo: rest("GET /info", [], [Info]),
  CompatGetDiskUsage: rest("GET /system/df?%v", [DiskUsageQuery], [DockerDiskUsage]),
  CompatPruneBuild: rest("POST /build/prune?%v", [PruneBuildQuery], [CachePruneReport]),
  CompatListPlugins: rest("GET /plugins?%v", [ListPluginsQuery], [z.array(Plugin)]),
  CompatGetEvents: rest("GET(application/json) /events?%v", [CompatEventsQuery], [chan(reply(Event))], {
    body: "as-tagged",
  }),
}, API_OPTIONS);
