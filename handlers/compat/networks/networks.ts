import type { Engine } from "../../../lib/engine/engine.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { parseFilters } from "../../parse_filters.ts";
import { isBefore } from "../../path_version.ts";
import { unsupported } from "../../containers/spec/unsupported.ts";
import { endpointAttachment } from "../containers/spec/networks.ts";
import { compatNetworksAPI } from "./api.ts";
import { networkRequest } from "./create.ts";
import { engineName, inspectMode, kindFilter, listModes, requireOrdinary, scopeFilter } from "./names.ts";
import { networkInspection, networkSummary } from "./view.ts";
import { RequestError } from "../../request_error.ts";

/** The network operations of Docker's tree over an engine. */
export function compatNetworks(engine: Engine): Implementation {
  const { containers, networks } = engine;
  return implementFamily(compatNetworksAPI, {
    CompatCreateNetwork: async (request) => {
      requireOrdinary(request.Name, "made");
      const { wish, warning } = networkRequest(request);
      return { Id: (await networks.create(wish)).id, Warning: warning };
    },
    CompatListNetworks: async ({ filters }) => {
      const { type = [], scope = [], ...read } = parseFilters(filters) ?? {};
      const found = (await containers.networks.list(read)).map(networkSummary);
      const all = Object.keys(read).length > 0 ? found : [...found, ...listModes()];
      const [isOfKind, isOfScope] = [kindFilter(type), scopeFilter(scope)];
      return all.filter((network) => isOfKind(network) && isOfScope(network));
    },
    CompatInspectNetwork: async (name, { scope = "local" }, { version }) => {
      if (scope !== "local") throw new RequestError("malformed", "invalid argument");
      const mode = inspectMode(name);
      if (mode) return mode;
      const record = await networks.ensure(engineName(name));
      return networkInspection(engine, record, name, !isBefore(version, 1, 52));
    },
    CompatRemoveNetwork: async (name, { force, timeout }) => {
      requireOrdinary(name, "removed");
      await containers.networks.remove(engineName(name), { force, timeout, leaveStopped: true });
    },
    CompatConnect: async (name, { Container, EndpointConfig }) => {
      requireOrdinary(name, "connected to");
      if (EndpointConfig?.Links?.length) {
        throw unsupported("EndpointConfig.Links", "only at create", "Connect container");
      }
      const wish = EndpointConfig ? endpointAttachment(EndpointConfig) : {};
      await containers.networks.connect(engineName(name), Container, wish);
      return "OK\n";
    },
    CompatDisconnect: async (name, { Container }) => {
      requireOrdinary(name, "disconnected from");
      await containers.networks.disconnect(engineName(name), Container);
      return "OK\n";
    },
    CompatPrune: async ({ filters }) => {
      const reports = await containers.networks.prune(parseFilters(filters));
      return { NetworksDeleted: reports.filter(({ error }) => error === undefined).map(({ name }) => name) };
    },
  });
}
