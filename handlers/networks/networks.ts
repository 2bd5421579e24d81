import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { messageOf } from "../../lib/oci/message_of.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { parseFilters } from "../parse_filters.ts";
import type { NetworkInspectReport } from "../wire/networks/network.ts";
import { networksAPI } from "./api.ts";
import { attachmentWish, networkWish } from "./network_wish.ts";
import { inspectNetwork, networkView } from "./view.ts";

/** The native network operations over an engine. */
export function networks(engine: Engine): Implementation {
  const { containers, networks } = engine;
  const inspect = async (name: string): Promise<NetworkInspectReport> => {
    const record = await networks.ensure(name);
    return inspectNetwork(record, containers.networks.usersOf(record.name));
  };
  return implementFamily(networksAPI, {
    CreateNetwork: async (request, { ignoreIfExists }) =>
      networkView(await networks.create(networkWish(request), { ignore: ignoreIfExists })),
    ListNetworks: async ({ filters }) => (await containers.networks.list(parseFilters(filters))).map(networkView),
    InspectNetwork: inspect,
    InspectNetworkShort: inspect,
    ExistsNetwork: async (name) => void await networks.ensure(name),
    UpdateNetwork: async (name, { adddnsservers, removednsservers }) =>
      void await networks.updateServers(name, { add: adddnsservers ?? [], remove: removednsservers ?? [] }),
    RemoveNetwork: async (name, { force, timeout }) => {
      try {
        await containers.networks.remove(name, { force, timeout });
        return [{ Name: name, Err: null }];
      } catch (error) {
        // The default network stays, which is told in the report.
        if (!(error instanceof EngineError) || error.code !== "invalid") throw error;
        return [{ Name: name, Err: error.message }];
      }
    },
    Connect: async (name, request) => {
      await containers.networks.connect(name, request.container, attachmentWish(request));
      return "OK";
    },
    Disconnect: async (name, { Container }) => {
      await containers.networks.disconnect(name, Container);
      return "OK";
    },
    Prune: async ({ filters }) => {
      const reports = await containers.networks.prune(parseFilters(filters));
      return reports.map(({ name, error }) => ({ Name: name, Error: error === undefined ? null : messageOf(error) }));
    },
  });
}
