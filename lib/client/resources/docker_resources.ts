import { compatNetworksAPI } from "../../../handlers/compat/networks/api.ts";
import { compatSystemAPI } from "../../../handlers/compat/system/api.ts";
import { compatVolumesAPI } from "../../../handlers/compat/volumes/api.ts";
import { API_OPTIONS } from "../../../handlers/wire/api_options.ts";
import { z } from "../../../handlers/wire/zod.ts";
import { api, chan, type Client, link } from "../../rest/mod.ts";
import { writeFilters } from "./lookups.ts";
import type { ResourceDialect } from "./resource_dialect.ts";
import { CreatedView } from "../dialects/views.ts";
import { DockerNetworkView, EventView, type NetworkView, VolumeView } from "./resource_views.ts";

const volumes = compatVolumesAPI.operations;
const networks = compatNetworksAPI.operations;

const definition = api("http://localhost", {
  CreateVolume: { ...volumes.CompatCreateVolume, results: [VolumeView] as const },
  InspectVolume: { ...volumes.CompatInspectVolume, results: [VolumeView] as const },
  ListVolumes: {
    ...volumes.CompatListVolumes,
    results: [z.looseObject({ Volumes: z.array(VolumeView).nullish() })] as const,
  },
  RemoveVolume: volumes.CompatRemoveVolume,
  PruneVolumes: {
    ...volumes.CompatPruneVolumes,
    results: [z.looseObject({ VolumesDeleted: z.array(z.string()).nullish() })] as const,
  },
  CreateNetwork: { ...networks.CompatCreateNetwork, results: [CreatedView] as const },
  InspectNetwork: { ...networks.CompatInspectNetwork, results: [DockerNetworkView] as const },
  ListNetworks: { ...networks.CompatListNetworks, results: [z.array(DockerNetworkView)] as const },
  RemoveNetwork: networks.CompatRemoveNetwork,
  PruneNetworks: networks.CompatPrune,
  Connect: networks.CompatConnect,
  Disconnect: networks.CompatDisconnect,
  GetEvents: { ...compatSystemAPI.operations.CompatGetEvents, results: [chan(EventView)] as const },
}, API_OPTIONS);

/** The operations of Docker's tree, which knows no archives of volumes. */
export function dockerResources(client: Client): ResourceDialect {
  const api = link(definition, "http://localhost", client);
  return {
    createVolume: ({ name = "", driver = "", labels, options }, call) =>
      api.CreateVolume({ Name: name, Driver: driver, Labels: labels, DriverOpts: options }, call),
    inspectVolume: (name, call) => api.InspectVolume(name, call),
    volumes: async (filters, call) => (await api.ListVolumes({ filters }, call)).Volumes ?? [],
    removeVolume: (name, call) => api.RemoveVolume(name, {}, call),
    pruneVolumes: async (all, call) => {
      const filters = writeFilters(all ? { all: ["true"] } : {});
      return (await api.PruneVolumes({ filters }, call)).VolumesDeleted ?? [];
    },
    createNetwork: async ({ name, driver = "bridge", internal, ipv6, subnets = [], labels, options }, call) => {
      const Config = subnets.map(({ subnet, gateway }) => ({ Subnet: subnet, Gateway: gateway }));
      const own = {
        Name: name,
        Driver: driver,
        Internal: internal,
        EnableIPv6: ipv6,
        Labels: labels,
        Options: options,
      };
      const { Id } = await api.CreateNetwork({ ...own, ...Config.length > 0 && { IPAM: { Config } } }, call);
      return viewOf(await api.InspectNetwork(Id, {}, call));
    },
    inspectNetwork: async (name, call) => viewOf(await api.InspectNetwork(name, {}, call)),
    networks: async (filters, call) => (await api.ListNetworks({ filters }, call)).map(viewOf),
    removeNetwork: (name, call) => api.RemoveNetwork(name, {}, call),
    pruneNetworks: async (filters, call) => (await api.PruneNetworks({ filters }, call)).NetworksDeleted ?? [],
    connect: async (network, container, { aliases, address }, call) => {
      const place = { Aliases: aliases, ...address !== undefined && { IPAMConfig: { IPv4Address: address } } };
      await (await api.Connect(network, { Container: container, EndpointConfig: place }, call)).cancel();
    },
    disconnect: async (network, container, call) =>
      await (await api.Disconnect(network, { Container: container, Force: false }, call)).cancel(),
    events: (request, call) => api.GetEvents({ ...request, stream: true }, call),
  };
}

/** A network of Docker's in the words of the other tree. */
function viewOf({ Name, Id, Driver, Internal, IPAM, Labels }: DockerNetworkView): NetworkView {
  const subnets = (IPAM?.Config ?? []).flatMap(({ Subnet, Gateway }) =>
    Subnet == null ? [] : [{ subnet: Subnet, gateway: Gateway }]
  );
  return { name: Name, id: Id, driver: Driver, internal: Internal, subnets, labels: Labels };
}
