import { podsAPI } from "../../../../handlers/pods/api.ts";
import { API_OPTIONS } from "../../../../handlers/wire/api_options.ts";
import { z } from "../../../../handlers/wire/zod.ts";
import { api, chan, type Client, HTTPError, link } from "../../../rest/mod.ts";
import { unlessUnchanged } from "../../client_error.ts";
import { parsePorts } from "../../container_options.ts";
import type { PodDetails, PodStats, PodSummary } from "../../resources/pod_details.ts";
import { inLibpod } from "../in_libpod.ts";
import { networkWish, portWishes } from "../native_wishes.ts";
import { CreatedView } from "../views.ts";
import type { PodDialect } from "./pod_dialect.ts";
import { ListedPod, PodChange, PodFigures, PodRemoval, PodView } from "./pod_views.ts";

const pods = podsAPI.operations;
const change = [PodChange] as const;

const definition = api(
  "http://localhost",
  inLibpod({
    PodCreate: { ...pods.PodCreate, results: [CreatedView.pick({ Id: true })] as const },
    Pods: { ...pods.Pods, results: [z.array(ListedPod)] as const },
    PodInspect: { ...pods.PodInspect, results: [PodView] as const },
    PodStart: { ...pods.PodStart, results: change },
    PodStop: { ...pods.PodStop, results: change },
    PodRestart: { ...pods.PodRestart, results: change },
    PodKill: { ...pods.PodKill, results: change },
    PodPause: { ...pods.PodPause, results: change },
    PodUnpause: { ...pods.PodUnpause, results: change },
    PodDelete: { ...pods.PodDelete, results: [PodRemoval] as const },
    PodPrune: { ...pods.PodPrune, results: [z.array(PodRemoval).nullish()] as const },
    PodStats: { ...pods.PodStats, results: [chan(z.array(PodFigures))] as const },
  }),
  API_OPTIONS,
);

/** Podman's operations on pods. */
export function nativePods(client: Client, base: string): PodDialect {
  const api = link(definition, base, client);
  return {
    create: async ({ name, labels, ports, network, hostname, restart }, call) => {
      const wish = { name, labels, hostname, restart_policy: restart, portmappings: portWishes(parsePorts(ports)) };
      return (await api.PodCreate({ ...wish, ...networkWish(network) }, call)).Id;
    },
    start: (name, call) => changePod(api.PodStart(name, call)),
    stop: (name, t, call) => changePod(api.PodStop(name, { t }, call)),
    restart: (name, call) => changePod(api.PodRestart(name, call)),
    kill: (name, signal, call) => changePod(api.PodKill(name, { signal }, call)),
    pause: (name, call) => changePod(api.PodPause(name, call)),
    unpause: (name, call) => changePod(api.PodUnpause(name, call)),
    // No time to stop: a removal by force is a kill.
    remove: async (name, force, call) => {
      const { Err } = await api.PodDelete(name, { force, ...force && { timeout: 0 } }, call);
      requireNone(Err == null || Err === "" ? [] : [Err]);
    },
    prune: async (call) => {
      const gone = (await api.PodPrune(call) ?? []).filter(({ Err }) => Err == null || Err === "");
      return gone.flatMap(({ Id }) => Id ?? []);
    },
    list: async (filters, call) => (await api.Pods({ filters }, call)).map(summaryOf),
    inspect: async (name, call) => detailsOf(await api.PodInspect(name, call)),
    stats: async (namesOrIDs, call) => {
      const query = namesOrIDs.length === 0 ? { all: true } : { namesOrIDs: [...namesOrIDs] };
      for await (const figures of await api.PodStats({ ...query, stream: false }, call)) return figures.map(statsOf);
      return [];
    },
  };
}

/** Waits for a change of a pod's containers; a pod that is as it shall be answers 304. */
async function changePod(call: Promise<z.output<typeof PodChange>>): Promise<void> {
  await unlessUnchanged(call.then(({ Errs }) => requireNone(Errs ?? [])));
}

/** Throws the errors of containers, which a report holds although its operation is answered as done. */
function requireNone(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  throw new HTTPError(500, errors.map((error) => typeof error === "string" ? error : JSON.stringify(error)).join("; "));
}

function summaryOf(view: z.output<typeof ListedPod>): PodSummary {
  return {
    id: view.Id,
    name: view.Name,
    status: view.Status,
    created: view.Created == null ? undefined : new Date(view.Created),
    labels: view.Labels ?? {},
    containers: (view.Containers ?? []).map(({ Id, Names, Status }) => ({ id: Id, name: Names, status: Status })),
    infra: view.InfraId || undefined,
  };
}

function detailsOf(view: z.output<typeof PodView>): PodDetails {
  return {
    id: view.Id,
    name: view.Name,
    status: view.State,
    created: view.Created == null ? undefined : new Date(view.Created),
    labels: view.Labels ?? {},
    containers: (view.Containers ?? []).map(({ Id, Name, State }) => ({ id: Id, name: Name, status: State })),
    infra: view.InfraContainerID || undefined,
    hostname: view.Hostname ?? "",
    ports: Object.fromEntries(
      Object.entries(view.InfraConfig?.PortBindings ?? {}).map(([port, places]) => [
        port,
        (places ?? []).map(({ HostIp, HostPort }) => ({ address: HostIp ?? "", port: Number(HostPort) })),
      ]),
    ),
  };
}

function statsOf(figures: z.output<typeof PodFigures>): PodStats {
  const percent = (text: string) => Number.parseFloat(text) || 0;
  return {
    pod: figures.Pod,
    container: figures.CID,
    name: figures.Name,
    cpuPercent: percent(figures.CPU),
    memoryPercent: percent(figures.Mem),
    processes: Number(figures.PIDS) || 0,
    memory: figures.MemUsage,
    network: figures.NetIO,
    disk: figures.BlockIO,
  };
}
