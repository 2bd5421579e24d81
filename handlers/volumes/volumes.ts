import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { parseFilters } from "../parse_filters.ts";
import { isBefore } from "../path_version.ts";
import { volumesAPI } from "./api.ts";
import { volumeData, volumePruneReport } from "./view.ts";

/** The native volume operations over an engine. */
export function volumes(engine: Engine): Implementation {
  const { volumes } = engine;
  return implementFamily(volumesAPI, {
    CreateVolume: async ({ Name, Driver, Label, Labels, Options, IgnoreIfExists, UID, GID }) => {
      const record = await volumes.create({
        name: Name,
        driver: Driver || undefined,
        labels: { ...Label, ...Labels },
        options: Options ?? {},
        ignoreIfExists: IgnoreIfExists,
        uid: UID ?? undefined,
        gid: GID ?? undefined,
      });
      return volumeData(volumes, record);
    },
    // Podman's client shows them as they come: in the order in which they were made. Docker's sorts them.
    ListVolumes: ({ filters }) => {
      const found = volumes.list(parseFilters(filters)).sort((a, b) =>
        a.created < b.created ? -1 : +(a.created > b.created)
      );
      return found.map((record) => volumeData(volumes, record));
    },
    PruneVolumes: async ({ filters, dryrun: dryRun }, { version }) => {
      const asked = parseFilters(filters) ?? {};
      // Clients before Podman 6 tell their users that every volume goes that no container has.
      const takesAll = isBefore(version, 6, 0) && Object.keys(asked).length === 0;
      const pruned = await volumes.prune(takesAll ? { all: ["true"] } : asked, { dryRun });
      return pruned.map(volumePruneReport);
    },
    InspectVolume: (name) => volumeData(volumes, volumes.resolve(name)),
    ExistsVolume: (name) => void volumes.resolve(name),
    ExportVolume: (name) => volumes.export(name),
    ImportVolume: (name, archive, { signal }) => volumes.import(name, archive, signal),
    RemoveVolume: (name, options) => volumes.remove(name, options),
  });
}
