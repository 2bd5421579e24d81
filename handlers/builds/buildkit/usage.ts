/**
 * The build cache as clients of BuildKit ask for it and prune it.
 *
 * @module
 */
import type { CachedStep } from "../../../lib/engine/build/cache_usage.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { DiskUsageRequest, PruneRequest, timeMessage, UsageRecord } from "./messages.ts";
import type { MessageValue } from "./protobuf.ts";

type UsageValue = MessageValue<typeof UsageRecord>;

/** Tells of each step that is kept, and that the request's filters let through. */
export function listUsage({ builds }: Engine, request: Uint8Array): UsageValue[] {
  const { filter, ageLimit } = DiskUsageRequest.decode(request);
  const before = ageLimit > 0 ? Date.now() - ageLimit / 1e6 : Infinity;
  const ids = chosenIDs(filter);
  return builds.cachedSteps()
    .filter(({ image, usedAt }) => usedAt < before && (ids?.includes(image) ?? true))
    .map(usageOf);
}

/** Prunes, and tells of each step that went, with the bytes that it freed. */
export async function pruneUsage({ builds }: Engine, request: Uint8Array): Promise<Uint8Array[]> {
  const { filter, all, keepDuration, reservedSpace, maxUsedSpace, minFreeSpace } = PruneRequest.decode(request);
  if (minFreeSpace > 0) {
    throw new GRPCError(
      GRPC_CODES.unimplemented,
      "min-free-space is not supported: use reserved-space or max-used-space",
    );
  }
  const { steps } = await builds.prune({
    all,
    images: chosenIDs(filter),
    ...keepDuration > 0 && { unusedSince: Date.now() - keepDuration / 1e6 },
    keep: Math.max(reservedSpace, maxUsedSpace),
  });
  return steps.map((step) => UsageRecord.encode(usageOf(step)));
}

/** The IDs that filters name (`id==…`); `undefined` where there are no filters. */
function chosenIDs(filters: readonly string[]): string[] | undefined {
  // Clients send an empty one for none.
  const given = filters.filter((filter) => filter !== "");
  if (given.length === 0) return undefined;
  return given.map((filter) => {
    const [, id] = /^id(?:==|=)"?([0-9a-f]+)"?$/.exec(filter) ?? [];
    if (id !== undefined) return id;
    throw new GRPCError(GRPC_CODES.unimplemented, `the filter "${filter.slice(0, 100)}" is not supported: use id=ID`);
  });
}

function usageOf(step: CachedStep): UsageValue {
  return {
    ID: step.image,
    InUse: step.isUsed,
    Shared: step.isShared,
    Size: step.size,
    CreatedAt: timeMessage(step.createdAt),
    LastUsedAt: timeMessage(step.usedAt),
    UsageCount: step.uses,
    Description: step.text,
    RecordType: "regular",
    Parents: step.parent === undefined ? [] : [step.parent],
  };
}
