import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { parseFilters } from "../../parse_filters.ts";
import { dockerVolume } from "../../volumes/view.ts";
import { compatVolumesAPI } from "./api.ts";
import { RequestError } from "../../request_error.ts";

/** The volume operations of Docker's tree over an engine. */
export function compatVolumes(engine: Engine): Implementation {
  const { volumes } = engine;
  return implementFamily(compatVolumesAPI, {
    CompatCreateVolume: async ({ Name, Driver, DriverOpts, Labels, ClusterVolumeSpec }) => {
      if (ClusterVolumeSpec) {
        throw new RequestError("unsupported", "ClusterVolumeSpec: there is no swarm here", {
          field: "ClusterVolumeSpec",
        });
      }
      // Docker's clients create what is there already, and want to be told of it.
      const record = await volumes.create({
        name: Name,
        driver: Driver || undefined,
        labels: Labels ?? {},
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
    CompatPruneVolumes: async ({ filters }) => {
      const pruned = await volumes.prune(parseFilters(filters));
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
