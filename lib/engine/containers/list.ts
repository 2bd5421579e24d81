import type { ContainerRecord } from "../records/container_record.ts";
import type { Context } from "./context.ts";
import { isCode } from "./failures.ts";
import { containerPredicate, onlyCandidate } from "./filters.ts";
import { activeHealth } from "./health/health_check.ts";
import { awaitsRestart } from "./life/restart_wait.ts";
import type { ContainerFilters, ListOptions } from "./options.ts";

/** Containers that fit, newest first. */
export function listContainers(context: Context, options: ListOptions): ContainerRecord[] {
  const { filters = {}, last = 0 } = options;
  const fits = containerPredicate(filters, {
    container: (nameOrID) => context.records.resolve(nameOrID),
    network: (nameOrID) => networkName(context, nameOrID),
    pod: (nameOrID) => podID(context, nameOrID),
    // Docker's word for it is no state of a record's.
    status: (record) => options.paused && awaitsRestart(context, record) ? "restarting" : record.state.status,
    health: ({ id, health }) => activeHealth(health) ? context.health.states.get(id)?.status ?? "" : "none",
    now: context.core.clock.now(),
  });
  // Asking for a status means asking for all that have it.
  const all = options.all || last > 0 || (filters.status?.length ?? 0) > 0;
  const shown: readonly string[] = options.paused ? ["running", "paused", "stopping"] : ["running"];
  const isUp = (record: ContainerRecord) =>
    shown.includes(record.state.status) || options.paused === true && awaitsRestart(context, record);
  const found = candidatesOf(context, filters).filter((record) => (all || isUp(record)) && fits(record));
  found.sort((a, b) => b.created - a.created);
  return last > 0 ? found.slice(0, last) : found;
}

/** All containers, or the one that alone can fit: a client that asks for it does not wait for a look at ten thousand. */
function candidatesOf({ records }: Context, filters: ContainerFilters): ContainerRecord[] {
  const only = onlyCandidate(filters);
  if (only === undefined) return records.all();
  const record = only.id === undefined ? records.named(only.name ?? "") : records.get(only.id);
  return record === undefined ? [] : [record];
}

function networkName(context: Context, nameOrID: string): string | undefined {
  try {
    return context.networks.resolve(nameOrID).name;
  } catch (error) {
    if (isCode(error, "no_such_network", "ambiguous")) return undefined;
    throw error;
  }
}

function podID(context: Context, nameOrID: string): string | undefined {
  try {
    return context.pods.resolve(nameOrID).id;
  } catch (error) {
    if (isCode(error, "no_such_pod", "ambiguous", "invalid")) return undefined;
    throw error;
  }
}
