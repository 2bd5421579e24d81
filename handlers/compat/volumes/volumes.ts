import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { ANONYMOUS_LABEL } from "../../../lib/engine/records/volume_record.ts";
import { takesAll, type VolumeFilters } from "../../../lib/engine/volumes/volume_filters.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { parseFilters } from "../../parse_filters.ts";
import { isBefore, isSpokenByPodman } from "../../path_version.ts";
import { dockerVolume } from "../../volumes/view.ts";
import { compatVolumesAPI } from "./api.ts";
import { RequestError } from "../../request_error.ts";

/** The volume operations of Docker's tree over an engine. */
export function compatVolumes(engine: Engine): Implementation {
  const { volumes } = engine;
  return implementFamily(compatVolumesAPI, {
    CompatCreateVolume: async ({ Name, Driver, DriverOpts, Labels, ClusterVolumeSpec }, { version }) => {
      if (ClusterVolumeSpec) {
        throw new RequestError("unsupported", "ClusterVolumeSpec: there is no swarm here", {
          field: "ClusterVolumeSpec",
        });
      }
      // Docker's clients create what is there already, and want to be told of it.
      const record = await volumes.create({
        name: Name,
        driver: Driver || undefined,
        labels: { ...!Name && !isSpokenByPodman(version) && { [ANONYMOUS_LABEL]: "" }, ...Labels },
        options: DriverOpts ?? {},
        ignoreIfExists: true,
      });
      const volume = dockerVolume(record);
      return Object.keys(record.options).length > 0 ? volume : { ...volume, Options: null };
    },
    CompatListVolumes: ({ filters }) => ({
      Volumes: volumes.list(parseFilters(filters)).map(dockerVolume),
      Warnings: [],
    }),
    CompatPruneVolumes: async ({ filters }, { version }) => {
      const pruned = await volumes.prune(promisedToUsers(parseFilters(filters) ?? {}, version));
      const errors = pruned.flatMap(({ error }) => error ? [error.message] : []);
      if (errors.length > 0) throw new EngineError("internal", errors.join("; "));
      return {
        VolumesDeleted: pruned.map(({ name }) => name),
        SpaceReclaimed: pruned.reduce((sum, { size }) => sum + size, 0),
      };
    },
    CompatInspectVolume: (name) => dockerVolume(volumes.resolve(name)),
    CompatRemoveVolume: async (name, { force, timeout }) => {
      try {
        // Docker's `force` is for volumes that are not there, not for containers that have one.
        await volumes.remove(name, { timeout });
      } catch (error) {
        if (!force || !(error instanceof EngineError) || error.code !== "no_such_volume") throw error;
      }
    },
  });
}

/**
 * The filters of a prune that takes what its client has told its user of: every volume before version 1.42, since then those
 * without a name unless `all` is asked for. A path without a version is read as Podman reads it, and so is the filter `until`, which Docker
 * has for no volumes.
 */
function promisedToUsers(filters: VolumeFilters, version: string | undefined): VolumeFilters {
  if (version === undefined || takesAll(filters) || filters.until !== undefined) return filters;
  if (isBefore(version, 1, 42)) return { ...filters, all: ["true"] };
  return { anonymous: ["true"], ...filters };
}
