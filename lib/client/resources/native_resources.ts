import { networksAPI } from "../../../handlers/networks/api.ts";
import { systemAPI } from "../../../handlers/system/api.ts";
import { volumesAPI } from "../../../handlers/volumes/api.ts";
import { API_OPTIONS } from "../../../handlers/wire/api_options.ts";
import { z } from "../../../handlers/wire/zod.ts";
import { api, chan, type Client, link } from "../../rest/mod.ts";
import { inLibpod, nativeBase } from "../dialects/libpod_paths.ts";
import { Told } from "../dialects/views.ts";
import { writeFilters } from "./lookups.ts";
import type { ResourceDialect } from "./resource_dialect.ts";
import { EventView, NetworkView, VolumeView } from "./resource_views.ts";

const volumes = volumesAPI.operations;
const networks = networksAPI.operations;

const definition = api(
  "http://localhost",
  inLibpod({
    CreateVolume: { ...volumes.CreateVolume, results: [VolumeView] as const },
    InspectVolume: { ...volumes.InspectVolume, results: [VolumeView] as const },
    ListVolumes: { ...volumes.ListVolumes, results: [z.array(VolumeView)] as const },
    RemoveVolume: volumes.RemoveVolume,
    PruneVolumes: { ...volumes.PruneVolumes, results: [z.array(z.looseObject({ Id: z.string() })).nullish()] as const },
    ExportVolume: volumes.ExportVolume,
    ImportVolume: volumes.ImportVolume,
    CreateNetwork: { ...networks.CreateNetwork, results: [NetworkView] as const },
    InspectNetwork: { ...networks.InspectNetwork, results: [NetworkView] as const },
    ListNetworks: { ...networks.ListNetworks, results: [z.array(NetworkView)] as const },
    RemoveNetwork: { ...networks.RemoveNetwork, results: [z.array(Told).nullish()] as const },
    PruneNetworks: { ...networks.Prune, results: [z.array(z.looseObject({ Name: z.string() })).nullish()] as const },
    Connect: networks.Connect,
    Disconnect: networks.Disconnect,
    GetEvents: { ...systemAPI.operations.GetEvents, results: [chan(EventView)] as const },
  }),
  API_OPTIONS,
);

/** The operations of Podman's tree, which Gantry has too. */
export function nativeResources(client: Client, version: string): ResourceDialect {
  const api = link(definition, nativeBase(version), client);
  const isOlder = Number.parseInt(version) < 6;
  return {
    createVolume: ({ name = "", driver = "", labels, options }, call) =>
      api.CreateVolume({ Name: name, Driver: driver, Labels: labels, Options: options }, call),
    inspectVolume: (name, call) => api.InspectVolume(name, call),
    volumes: (filters, call) => api.ListVolumes({ filters }, call),
    removeVolume: (name, call) => api.RemoveVolume(name, {}, call),
    pruneVolumes: async (all, call) => {
      // Podman before 6 removes all of them unless told otherwise, and does not know the word.
      const filters = all && isOlder ? {} : { [all ? "all" : "anonymous"]: ["true"] };
      return (await api.PruneVolumes({ filters: writeFilters(filters) }, call) ?? []).map(({ Id }) => Id);
    },
    exportVolume: (name, call) => api.ExportVolume(name, call),
    importVolume: (name, tar, call) => api.ImportVolume(name, tar, call),
    createNetwork: ({ subnets, ipv6, name, driver, internal, labels, options }, call) => {
      const own = { name, driver, internal, labels, options, subnets, ipv6_enabled: ipv6, dns_enabled: true };
      return api.CreateNetwork(own, {}, call);
    },
    inspectNetwork: (name, call) => api.InspectNetwork(name, call),
    networks: (filters, call) => api.ListNetworks({ filters }, call),
    removeNetwork: async (name, call) => void await api.RemoveNetwork(name, {}, call),
    pruneNetworks: async (filters, call) => (await api.PruneNetworks({ filters }, call) ?? []).map(({ Name }) => Name),
    connect: async (network, container, { aliases, address }, call) => {
      const place = { container, aliases, ...address !== undefined && { static_ips: [address] } };
      await (await api.Connect(network, place, call)).cancel();
    },
    disconnect: async (network, container, call) =>
      await (await api.Disconnect(network, { Container: container, Force: false }, call)).cancel(),
    events: (request, call) => api.GetEvents({ ...request, stream: true }, call),
  };
}
