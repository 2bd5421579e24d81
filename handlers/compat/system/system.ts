import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { EngineEvent } from "../../../lib/engine/store/events.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { mapValues, streamEvents } from "../../system/events.ts";
import { keepForever } from "../../keep_answer.ts";
import { answerPing } from "../../system/ping.ts";
import { viewVersion } from "../../system/version.ts";
import { compatSystemAPI } from "./api.ts";
import { isBefore } from "../../path_version.ts";
import { compatDiskUsage } from "./disk_usage.ts";
import { nameShower } from "../images/docker_name.ts";
import { engineName } from "../networks/names.ts";
import type { Filters } from "../../wire/query.ts";
import { dockerEvent } from "./events.ts";
import { compatInfo } from "./info.ts";
import { pruneBuild } from "./prune_build.ts";

/** The system operations of Docker's tree over an engine. */
export function compatSystem(engine: Engine): Implementation {
  return implementFamily(compatSystemAPI, {
    CompatPing: (context) => {
      keepForever(context);
      return answerPing(engine, context.headers);
    },
    CompatPingHead: ({ headers }) => void answerPing(engine, headers),
    CompatVersionHandler: (context) => {
      keepForever(context);
      return viewVersion(engine);
    },
    CompatGetInfo: ({ version }) => compatInfo(engine, version),
    CompatGetDiskUsage: (query, context) => compatDiskUsage(engine, query, context),
    CompatPruneBuild: (query) => pruneBuild(engine, query),
    // Drivers of volumes and networks are part of the engine.
    CompatListPlugins: () => [],
    CompatGetEvents: (query, context) => {
      const bare = context.version !== undefined && !isBefore(context.version, 1, 52);
      const showName = nameShower(engine, context.version);
      const named = context.version !== undefined;
      const view = { bare, showName, named, startOf: (id: string) => lastStart(engine, id) };
      const asksForSome = query.filters?.label !== undefined || query.filters?.container !== undefined;
      const isAwaited = asksForSome ? (event: EngineEvent) => isEnd(engine, event) : undefined;
      const choices = { api: "docker", isAwaited, isTold: isDockers, hasAskedImage: true } as const;
      const events = streamEvents(engine, { ...query, filters: engineFilters(query.filters) }, context, choices);
      return mapValues(events, (event) => dockerEvent(event, view));
    },
  });
}

/** The filters, with the engine's names of networks beside Docker's: the default one has both. */
function engineFilters(filters: Filters | undefined): Filters | undefined {
  const { network } = filters ?? {};
  return network === undefined ? filters : { ...filters, network: [...network, ...network.map(engineName)] };
}

/** Events of containers that Podman alone has. */
const PODMANS: readonly string[] = ["init", "cleanup"];

/**
 * Whether Docker has an event. It tells of a container's health when that has become another one, not of every check: clients do some work at each.
 * And it has no health of those that do not run.
 */
function isDockers({ type, action, health, repeated }: EngineEvent): boolean {
  if (type === "container" && PODMANS.includes(action)) return false;
  return health === undefined || (repeated !== true && health !== "stopped");
}

/**
 * Whether an event is the end of a container that is still there. Compose asks for the events of its containers while it starts them, and a
 * brief one has ended here before it has asked: it would wait for that end for ever.
 */
function isEnd({ containers }: Engine, { type, action, id }: EngineEvent): boolean {
  return type === "container" && action === "died" && containers.exists(id);
}

/** `undefined` for a container that is gone. */
function lastStart({ containers }: Engine, id: string): number | undefined {
  try {
    return containers.resolve(id).state.startedAt;
  } catch (error) {
    if (error instanceof EngineError && error.code === "no_such_container") return undefined;
    throw error;
  }
}
