import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { containerStats, NATIVE_STATS } from "./container_stats.ts";
import { implementFamily } from "../implement_family.ts";
import { isBefore } from "../path_version.ts";
import { RmReport } from "../wire/containers/container.ts";
import { parseFilters } from "../parse_filters.ts";
import { emit } from "../wire/emit.ts";
import { HealthCheckResults } from "../wire/containers/health.ts";
import { containersAPI } from "./api.ts";
import { attachContainer, attachSocket, NATIVE_ATTACH } from "./attach.ts";
import { checkpointContainer, restoreContainer } from "./checkpoint.ts";
import { createContainer } from "./create.ts";
import { keepUntilChange } from "../keep_answer.ts";
import { getContainer, keepInspection } from "./inspect.ts";
import { listContainers } from "./list.ts";
import { answerLogs } from "./logs.ts";
import { pruneContainers, pruneReport } from "./prune.ts";
import { streamStats } from "./stats.ts";
import { listProcesses, splitArguments } from "./top.ts";
import { updateContainer } from "./update.ts";
import { waitConditions } from "./wait.ts";
import { errorText } from "../images/pull_progress.ts";

/** The native container operations over an engine. */
export function implementContainers(engine: Engine): Implementation {
  const { containers } = engine;
  return implementFamily(containersAPI, {
    CreateContainer: (generator) => createContainer(engine, generator),
    ListContainers: (query, context) => {
      if (!query.size && !query.namespace && query.filters === undefined) keepUntilChange(engine, context);
      return listContainers(engine, query);
    },
    PruneContainers: async ({ filters }) => (await pruneContainers(engine, parseFilters(filters))).map(pruneReport),
    GetContainer: (name, { size }, context) => {
      keepInspection(engine, context, { name, size });
      return getContainer(engine, name, { size, version: context.version });
    },
    ContainerExists: (name) => {
      if (!containers.exists(name)) throw noSuchContainer(name);
    },
    InitContainer: (name) => containers.init(name),
    StartContainer: (name) => containers.start(name),
    StopContainer: (name, { timeout, ignore }) => ignoreMissing(ignore, () => containers.stop(name, { timeout })),
    RestartContainer: (name, { timeout }) => containers.restart(name, { timeout }),
    KillContainer: (name, { signal }) => containers.kill(name, { signal }),
    PauseContainer: (name) => containers.pause(name),
    UnpauseContainer: (name) => containers.unpause(name),
    WaitContainer: async (name, { condition }, { signal }) => {
      return String(await containers.wait(name, waitConditions(condition), { signal }));
    },
    RemoveContainer: async (name, options, { version }) => {
      const asked = options.ignore && !containers.exists(name) ? undefined : containers.resolve(name).id;
      const reports = await containers.remove(name, options);
      return reports.map(({ id, error }) => {
        const RawInput = id === asked && isBefore(version, 5, 0) ? name : undefined;
        return emit(RmReport, { Id: id, Err: error && errorText(error), RawInput });
      });
    },
    LogsFromContainer: (name, query, context) => answerLogs(engine, name, query, context, { rawTerminal: false }),
    AttachContainer: (name, query, context) => attachContainer(engine, name, query, context, NATIVE_ATTACH),
    AttachWebSocket: (name, query, context) => attachSocket(engine, name, query, context, NATIVE_ATTACH),
    ResizeTTY: (name, { h = 0, w = 0 }) => containers.resize(name, { height: h, width: w }),
    RunHealthCheck: async (name) => emit(HealthCheckResults, { Status: await containers.checkHealth(name) }),
    TopContainer: (name, { ps_args: args = [], ...query }, { signal, version }) => {
      const words = args.length === 1 && isBefore(version, 4, 8) ? splitArguments(args[0]) : args;
      return listProcesses(engine, name, words, { ...query, signal });
    },
    Checkpoint: (name, query) => checkpointContainer(engine, name, query),
    Restore: (name, query, archive) => restoreContainer(engine, name, query, archive),
    UpdateContainer: (name, entities, query) => updateContainer(engine, name, query, entities),
    StatsContainer: (query, context) => streamStats(engine, query, context),
    StatsOneContainer: (name, query, context) => containerStats(engine, name, query, context, NATIVE_STATS),
    RenameContainer: (name, query) => containers.rename(name, query.name),
  });
}

/** Runs a change for which a container that is not there is no error when asked so. */
export async function ignoreMissing(ignore: boolean | undefined, change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!ignore || !(error instanceof EngineError) || error.code !== "no_such_container") throw error;
  }
}

function noSuchContainer(name: string): EngineError {
  const sentinel = "no such container";
  return new EngineError("no_such_container", `no container with name or ID "${name}" found: ${sentinel}`, {
    sentinel,
  });
}
