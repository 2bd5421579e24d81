import type { Engine } from "../../lib/engine/engine.ts";
import type { Context, Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { isBefore } from "../path_version.ts";
import { RequestError } from "../request_error.ts";
import { parseFilters } from "../parse_filters.ts";
import type { NetworkInspectReport } from "../wire/networks/network.ts";
import { networksAPI } from "./api.ts";
import { attachmentWish, networkWish } from "./network_wish.ts";
import { inspectNetwork, networkPruneReport, networkView } from "./view.ts";

/** The native network operations over an engine. */
export function networks(engine: Engine): Implementation {
  const { containers, networks } = engine;
  const inspect = async (name: string, context: Context): Promise<NetworkInspectReport> => {
    requireVersion(context);
    const record = await networks.ensure(name);
    return inspectNetwork(record, containers.networks.usersOf(record.name));
  };
  return implementFamily(networksAPI, {
    CreateNetwork: async (request, { ignoreIfExists }, context) => {
      requireVersion(context);
      return networkView(await networks.create(networkWish(request), { ignore: ignoreIfExists }));
    },
    ListNetworks: async ({ filters }, context) => {
      requireVersion(context);
      return (await containers.networks.list(parseFilters(filters))).map(networkView);
    },
    InspectNetwork: inspect,
    InspectNetworkShort: inspect,
    ExistsNetwork: async (name, context) => {
      requireVersion(context);
      await networks.ensure(name);
    },
    UpdateNetwork: async (name, { adddnsservers, removednsservers }) =>
      void await networks.updateServers(name, { add: adddnsservers ?? [], remove: removednsservers ?? [] }),
    RemoveNetwork: async (name, { force, timeout }, context) => {
      requireVersion(context);
      // The error of a report is nothing that Podman's clients can read: one that fails is answered as an error.
      await containers.networks.remove(name, { force, timeout });
      return [{ Name: name, Err: null }];
    },
    Connect: async (name, request, context) => {
      requireVersion(context);
      await containers.networks.connect(name, request.container, attachmentWish(request));
      return "OK\n";
    },
    Disconnect: async (name, { Container }) => {
      await containers.networks.disconnect(name, Container);
      return "OK\n";
    },
    Prune: async ({ filters }, context) => {
      requireVersion(context);
      const reports = await containers.networks.prune(parseFilters(filters));
      return reports.map(networkPruneReport);
    },
  });
}

/** Clients before the fourth version mean other networks by these paths, those of CNI. */
function requireVersion({ version }: Context): void {
  if (!isBefore(version, 4, 0)) return;
  const cause = "given version is not supported";
  const text = `failed to parse query parameter 'version': "${version}": ${cause}`;
  throw new RequestError("malformed", text, { sentinel: cause });
}
