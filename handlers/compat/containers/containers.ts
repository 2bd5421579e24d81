import type { Engine } from "../../../lib/engine/engine.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { plainName } from "../../../lib/engine/text/names.ts";
import { implementFamily } from "../../implement_family.ts";
import { attachContainer, attachSocket, COMPAT_ATTACH, COMPAT_SOCKET } from "../../containers/attach.ts";
import { ignoreMissing } from "../../containers/containers.ts";
import { create } from "../../containers/create.ts";
import { keepInspection, networkIDs } from "../../containers/inspect.ts";
import { keepUntilChange } from "../../keep_answer.ts";
import { imagesOf, listOptions } from "../../containers/list.ts";
import { answerLogs } from "../../containers/logs.ts";
import { pruneContainers } from "../../containers/prune.ts";
import { listProcesses } from "../../containers/top.ts";
import { isBefore } from "../../path_version.ts";
import { parseFilters } from "../../parse_filters.ts";
import { ContainersPruneReport } from "../../wire/compat/container.ts";
import { emit } from "../../wire/emit.ts";
import { localName } from "../images/docker_name.ts";
import { parsePlatform, requirePlatform } from "../images/platform.ts";
import { compatContainersAPI } from "./api.ts";
import { compatGetContainer } from "./inspect.ts";
import { requireLinked } from "./linked.ts";
import { dockerRequest } from "./spec/container_request.ts";
import { DOCKER_NAMES } from "./spec/docker_names.ts";
import { requestWords } from "./request_words.ts";
import { containerSummary, nextStatusChange } from "./summary.ts";
import { compatStartContainer } from "./start.ts";
import { COMPAT_STATS, containerStats } from "../../containers/container_stats.ts";
import { checkLimits } from "./spec/limits.ts";
import { compatUpdateContainer, processorCount } from "./update.ts";
import { compatWaitContainer } from "./wait.ts";
import { engineName } from "../networks/names.ts";
import { RequestError } from "../../request_error.ts";

/** The container operations of Docker's tree over an engine. */
export function compatContainers(engine: Engine): Implementation {
  const { containers, networks } = engine;
  return implementFamily(compatContainersAPI, {
    CompatCreateContainer: async (config, { name = "", platform = "" }) => {
      const { name: network } = await networks.ensureDefault();
      const { netns, baseHosts } = engine.defaults;
      const request = dockerRequest(config, name, { network, netns, baseHosts });
      checkLimits(config.HostConfig, await processorCount(engine, config.HostConfig));
      requireLinked(engine, config);
      const image = localName(engine, config.Image);
      requirePlatform(engine, image, parsePlatform(platform));
      const words = requestWords(config, image);
      return await create(engine, { ...request, image, requestWords: words }, DOCKER_NAMES).catch(tellMissingSource);
    },
    CompatListContainers: async (query, context) => {
      const image = imagesOf(engine);
      const { version } = context;
      const { filters, ...options } = listOptions(query);
      const network = filters?.network?.map(engineName);
      const records = containers.list({
        ...options,
        filters: network ? { ...filters, network } : filters,
        paused: true,
      });
      if (!query.size && query.filters === undefined) {
        keepUntilChange(engine, context, () => nextStatusChange(records, Date.now()));
      }
      const sizes = query.size ? await Promise.all(records.map(({ id }) => containers.size(id))) : [];
      const volumePath = (name: string) => engine.volumes.mountpoint(name);
      const common = { now: Date.now(), networkID: networkIDs(engine), volumePath, version };
      return records.map((record, index) => {
        const health = containers.health(record.id);
        const awaitsRestart = containers.awaitsRestart(record);
        return containerSummary(record, {
          ...common,
          image: image(record),
          rwSize: sizes[index],
          health,
          awaitsRestart,
        });
      });
    },
    CompatPruneContainers: async (query) => {
      const gone = (await pruneContainers(engine, parseFilters(query.filters))).filter(({ error }) =>
        error === undefined
      );
      return emit(ContainersPruneReport, {
        ContainersDeleted: gone.map(({ id }) => id),
        SpaceReclaimed: gone.reduce((sum, { size }) => sum + size, 0),
      });
    },
    CompatGetContainer: (name, { size = false }, context) => {
      keepInspection(engine, context, { name, size });
      return compatGetContainer(engine, name, { size, version: context.version });
    },
    CompatStartContainer: (name) => compatStartContainer(engine, name),
    CompatStopContainer: (name, { t, ignore, signal }) => {
      return ignoreMissing(ignore, () => containers.stop(name, { ...timeout(t), signal, thaw: true }));
    },
    CompatRestartContainer: (name, { t, signal }) => {
      return containers.restart(name, { ...timeout(t), signal, thaw: true, tellsAfter: true });
    },
    CompatKillContainer: (name, { signal }) => containers.kill(name, { signal, restartingRuns: true }),
    CompatPauseContainer: (name) => containers.pause(name),
    CompatUnpauseContainer: (name) => containers.unpause(name),
    CompatWaitContainer: (name, { condition = "" }, { signal }) => compatWaitContainer(engine, name, condition, signal),
    CompatRemoveContainer: async (name, { force, ignore, link, v }) => {
      if (link) throw new RequestError("malformed", "link is not supported");
      // Docker's force kills; the native tree's stops, and kills what does not end.
      const options = { force, ignore, volumes: v, timeout: 0, restartingRuns: true, leaveJoined: true };
      const [failed] = (await containers.remove(name, options)).filter(({ error }) => error);
      if (failed?.error) throw failed.error;
    },
    CompatLogsFromContainer: (name, query, context) =>
      answerLogs(engine, name, query, context, { rawTerminal: true, details: query.details }),
    CompatAttachContainer: (name, query, context) => attachContainer(engine, name, query, context, COMPAT_ATTACH),
    CompatAttachWebSocket: (name, query, context) => attachSocket(engine, name, query, context, COMPAT_SOCKET),
    CompatResizeTTY: (name, { h = 0, w = 0 }) => containers.resize(name, { height: h, width: w }),
    CompatTopContainer: (name, { ps_args = ["-ef"], ...query }, { signal }) => {
      return listProcesses(engine, name, ps_args, { ...query, signal });
    },
    CompatUpdateContainer: (name, config) => compatUpdateContainer(engine, name, config),
    CompatStatsContainer: (name, query, context) => {
      const form = { ...COMPAT_STATS, tellsOS: !isBefore(context.version, 1, 52) };
      return containerStats(engine, name, query, context, form);
    },
    CompatRenameContainer: async (name, query) => {
      if (containers.resolve(name).name === plainName(query.name)) {
        throw new RequestError("malformed", "Renaming a container with the same name as its current name");
      }
      await containers.rename(name, query.name);
    },
  });
}

/**
 * Rejects a failed creation in Docker's words where the source of a mount is missing: the CLI takes "no such file or directory" for a program
 * that is missing, and exits with 127.
 */
function tellMissingSource(error: unknown): never {
  const [, source] = error instanceof EngineError && /^statfs (.+): no such file or directory$/s.exec(error.message) ||
    [];
  if (source === undefined) throw error;
  const message = `invalid mount config for type "bind": bind source path does not exist: ${source}`;
  throw new RequestError("malformed", message, { cause: error });
}

/** A negative time is to wait for as long as it takes; the longest timer is near enough. */
function timeout(seconds: number | undefined): { timeout?: number } {
  if (seconds === undefined) return {};
  return { timeout: seconds < 0 ? 2 ** 31 / 1000 : seconds };
}
