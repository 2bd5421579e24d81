import type { Engine } from "../../lib/engine/engine.ts";
import type { QuadletRemoval } from "../../lib/engine/quadlets/quadlet_options.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { parseFilters } from "../parse_filters.ts";
import { RequestError } from "../request_error.ts";
import { emit } from "../wire/emit.ts";
import { ListQuadlet, QuadletInstallReport, QuadletRemoveReport } from "../wire/quadlets/quadlet.ts";
import { quadletsAPI } from "./api.ts";
import { readQuadletFiles } from "./quadlet_files.ts";

/** The native operations on quadlets over an engine. `reload-systemd` is on where a request leaves it out, as in Podman. */
export function implementQuadlets(engine: Engine): Implementation {
  const { quadlets } = engine;
  return implementFamily(quadletsAPI, {
    ListQuadlets: async ({ filters }) => {
      const entries = await quadlets.list(parseFilters(filters));
      return entries.map(({ name, unitName, path, status, pod }) =>
        emit(ListQuadlet, { Name: name, UnitName: unitName, Path: path, Status: status, App: "", Pod: pod })
      );
    },
    GetQuadletPrint: async (name) => new Blob([await quadlets.text(name)]).stream(),
    QuadletExists: async (name) => {
      if (!await quadlets.exists(name)) await quadlets.text(name);
    },
    InstallQuadlets: async ({ replace, "reload-systemd": reload }, body, { request }) => {
      const files = await readQuadletFiles(body, request.headers.get("content-type"));
      const installed = await quadlets.install(files, { replace, reload });
      return emit(QuadletInstallReport, { InstalledQuadlets: Object.fromEntries(installed), QuadletErrors: {} });
    },
    RemoveQuadlet: async (name, { ignore, force, "reload-systemd": reload }) => {
      const removal = await quadlets.remove([name], { ignore, force, reload });
      const error = removal.errors.get(name);
      if (error?.code === "no_such_quadlet") throw error;
      if (error?.code === "state") {
        throw new RequestError("malformed", error.message, { sentinel: error.sentinel, cause: error });
      }
      return removeReport(removal);
    },
    RemoveQuadlets: async ({ all, ignore, force, "reload-systemd": reload, quadlets: names = [] }) => {
      const options = { ignore, force, reload };
      if (all && names.length > 0) {
        throw new RequestError("malformed", "when setting all=true, you may not pass any quadlet names");
      }
      if (!all && names.length === 0) {
        throw new RequestError("malformed", "must provide at least 1 quadlet to remove or set all=true");
      }
      return removeReport(all ? await quadlets.removeAll(options) : await quadlets.remove(names, options));
    },
  });
}

function removeReport({ removed, errors }: QuadletRemoval): QuadletRemoveReport {
  const texts = Object.fromEntries([...errors].map(([name, { message }]) => [name, message]));
  return emit(QuadletRemoveReport, { Removed: removed, Errors: texts });
}
