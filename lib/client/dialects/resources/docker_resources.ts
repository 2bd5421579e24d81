import { compatNetworksAPI } from "../../../../handlers/compat/networks/api.ts";
import { compatSecretsAPI } from "../../../../handlers/compat/secrets/api.ts";
import { compatSystemAPI } from "../../../../handlers/compat/system/api.ts";
import { compatVolumesAPI } from "../../../../handlers/compat/volumes/api.ts";
import { API_OPTIONS } from "../../../../handlers/wire/api_options.ts";
import { z } from "../../../../handlers/wire/zod.ts";
import { toBase64 } from "../../../oci/bytes/base64.ts";
import { api, chan, type Client, link } from "../../../rest/mod.ts";
import type { NetworkDetails } from "../../resources/network_details.ts";
import { CreatedView } from "../views.ts";
import { readOut } from "./native_resources.ts";
import type { ResourceDialect } from "./resource_dialect.ts";
import { DockerNetworkView, EventView, MadeSecret, SecretView, VolumeView } from "./resource_views.ts";

const volumes = compatVolumesAPI.operations;
const networks = compatNetworksAPI.operations;
const secrets = compatSecretsAPI.operations;

const ListedVolumes = z.looseObject({ Volumes: z.array(VolumeView).nullish() });
const PrunedVolumes = z.looseObject({ VolumesDeleted: z.array(z.string()).nullish() });

const definition = api("http://localhost", {
  CreateVolume: { ...volumes.CompatCreateVolume, results: [VolumeView] as const },
  ListVolumes: { ...volumes.CompatListVolumes, results: [ListedVolumes] as const },
  InspectVolume: { ...volumes.CompatInspectVolume, results: [VolumeView] as const },
  RemoveVolume: volumes.CompatRemoveVolume,
  PruneVolumes: { ...volumes.CompatPruneVolumes, results: [PrunedVolumes] as const },
  CreateNetwork: { ...networks.CompatCreateNetwork, results: [CreatedView.pick({ Id: true })] as const },
  ListNetworks: { ...networks.CompatListNetworks, results: [z.array(DockerNetworkView)] as const },
  InspectNetwork: { ...networks.CompatInspectNetwork, results: [DockerNetworkView] as const },
  Connect: networks.CompatConnect,
  Disconnect: networks.CompatDisconnect,
  RemoveNetwork: networks.CompatRemoveNetwork,
  CreateSecret: { ...secrets.CompatCreateSecret, results: [MadeSecret] as const },
  ListSecrets: { ...secrets.CompatListSecrets, results: [z.array(SecretView)] as const },
  InspectSecret: { ...secrets.CompatInspectSecret, results: [SecretView] as const },
  RemoveSecret: secrets.CompatRemoveSecret,
  GetEvents: { ...compatSystemAPI.operations.CompatGetEvents, results: [chan(EventView)] as const },
}, API_OPTIONS);

/** Docker's operations on volumes, networks, secrets and events. */
export function dockerResources(client: Client, base: string): ResourceDialect {
  const api = link(definition, base, client);
  return {
    createVolume: ({ name, driver, labels, options }, call) =>
      api.CreateVolume({ Name: name, Driver: driver, Labels: labels, DriverOpts: options }, call),
    volumes: async (filters, call) => (await api.ListVolumes({ filters }, call)).Volumes ?? [],
    inspectVolume: (name, call) => api.InspectVolume(name, call),
    removeVolume: (name, force, call) => api.RemoveVolume(name, { force }, call),
    pruneVolumes: async (filters, call) => (await api.PruneVolumes({ filters }, call)).VolumesDeleted ?? [],
    createNetwork: async (name, { driver = "bridge", subnets, internal, ipv6, labels, options }, call) => {
      const ranges = subnets?.map(({ subnet, gateway }) => ({ Subnet: subnet, Gateway: gateway }));
      const common = { Name: name, Driver: driver, Internal: internal, EnableIPv6: ipv6 };
      const ipam = ranges && { IPAM: { Driver: "default", Config: ranges } };
      await api.CreateNetwork({ ...common, Labels: labels, Options: options, ...ipam }, call);
    },
    networks: async (filters, call) => (await api.ListNetworks({ filters }, call)).map(networkOf),
    inspectNetwork: async (name, call) => networkOf(await api.InspectNetwork(name, {}, call)),
    connectNetwork: async (name, { container, aliases, address }, call) => {
      const family = address?.includes(":") ? "IPv6Address" : "IPv4Address";
      const chosen = address === undefined ? {} : { IPAMConfig: { [family]: address } };
      const place = { Container: container, EndpointConfig: { Aliases: aliases, ...chosen } };
      await readOut(await api.Connect(name, place, call));
    },
    disconnectNetwork: async (name, container, force, call) =>
      await readOut(await api.Disconnect(name, { Container: container, Force: force }, call)),
    removeNetwork: (name, force, call) => api.RemoveNetwork(name, { force: force || undefined }, call),
    createSecret: async (name, data, labels, call) =>
      (await api.CreateSecret({ Name: name, Data: toBase64(data), Labels: labels }, call)).ID,
    secrets: (call) => api.ListSecrets({}, call),
    inspectSecret: (name, call) => api.InspectSecret(name, {}, call),
    removeSecret: (name, call) => api.RemoveSecret(name, call),
    events: (range, call) => api.GetEvents(range, call),
  };
}

function networkOf(view: z.output<typeof DockerNetworkView>): NetworkDetails {
  const ranges = view.IPAM?.Config ?? [];
  return {
    id: view.Id,
    name: view.Name,
    driver: view.Driver,
    created: view.Created == null ? undefined : new Date(view.Created),
    subnets: ranges.map(({ Subnet, Gateway }) => ({ subnet: Subnet ?? "", gateway: Gateway ?? undefined })),
    internal: view.Internal ?? false,
    ipv6: view.EnableIPv6 ?? false,
    labels: view.Labels ?? {},
    options: view.Options ?? {},
    containers: Object.entries(view.Containers ?? {}).map(([id, { Name }]) => ({ id, name: Name })),
  };
}
