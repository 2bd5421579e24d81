/**
 * The build cache as clients of BuildKit ask for it and prune it.
 *
 * @module
 */
import { type CacheItem, RECORD_TYPES } from "../../../lib/engine/build/cache_usage.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { DiskUsageRequest, PruneRequest, timeMessage, UsageRecord } from "./messages.ts";
import type { MessageValue } from "./protobuf.ts";

type UsageValue = MessageValue<typeof UsageRecord>;

/** Tells of each item that is kept, and that the request's filters let through. */
export async function listUsage({ builds }: Engine, request: Uint8Array): Promise<UsageValue[]> {
  const { filter, ageLimit } = DiskUsageRequest.decode(request);
  const before = ageLimit > 0 ? Date.now() - ageLimit / 1e6 : Infinity;
  const ids = chosenIDs(filter);
  const items = await builds.cacheItems();
  return items.filter(({ id, usedAt }) => usedAt < before && (ids?.includes(id) ?? true)).map(usageOf);
}

/** Prunes, and tells of each item that went, with the bytes that it freed. */
export async function pruneUsage({ builds }: Engine, request: Uint8Array): Promise<Uint8Array[]> {
  const { filter, all, keepDuration, reservedSpace, maxUsedSpace, minFreeSpace } = PruneRequest.decode(request);
  if (minFreeSpace > 0) {
    throw new GRPCError(
      GRPC_CODES.unimplemented,
      "min-free-space is not supported: use reserved-space or max-used-space",
    );
  }
  const { items } = await builds.prune({
    all,
    ids: chosenIDs(filter),
    ...keepDuration > 0 && { unusedSince: Date.now() - keepDuration / 1e6 },
    keep: Math.max(reservedSpace, maxUsedSpace),
  });
  return items.map((item) => UsageRecord.encode(usageOf(item)));
}

/** The IDs that filters name (`id==…`); `undefined` where there are no filters. */
function chosenIDs(filters: readonly string[]): string[] | undefined {
  // Clients send an empty one for none.
  const given = filters.filter((filter) => filter !== "");
  if (given.length === 0) return undefined;
  return given.map((filter) => {
    const [, id] = /^id(?:==|=)"?([0-9a-z-]+)"?$/.exec(filter) ?? [];
    if (id !== undefined) return id;
    throw new GRPCError(GRPC_CODES.unimplemented, `the filter "${filter.slice(0, 100)}" is not supported: use id=ID`);
  });
}

function usageOf(item: CacheItem): UsageValue {
  return {
    ID: item.id,
    InUse: item.isUsed,
    Shared: item.isShared,
    Size: item.size,
    CreatedAt: timeMessage(item.createdAt),
    LastUsedAt: timeMessage(item.usedAt),
    UsageCount: item.uses,
    Description: item.text,
    RecordType: RECORD_TYPES[item.kind],
    Parents: item.parent === undefined ? [] : [item.parent],
  };
}
