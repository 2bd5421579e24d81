import { networksAPI } from "../../../../handlers/networks/api.ts";
import { secretsAPI } from "../../../../handlers/secrets/api.ts";
import { systemAPI } from "../../../../handlers/system/api.ts";
import { volumesAPI } from "../../../../handlers/volumes/api.ts";
import { API_OPTIONS } from "../../../../handlers/wire/api_options.ts";
import { z } from "../../../../handlers/wire/zod.ts";
import { api, chan, type Client, link } from "../../../rest/mod.ts";
import type { NetworkDetails } from "../../resources/network_details.ts";
import { inLibpod } from "../in_libpod.ts";
import { Told } from "../views.ts";
import type { ResourceDialect } from "./resource_dialect.ts";
import { EventView, MadeSecret, NativeNetworkView, PrunedVolume, SecretView, VolumeView } from "./resource_views.ts";

const volumes = volumesAPI.operations;
const networks = networksAPI.operations;
const secrets = secretsAPI.operations;

const definition = api(
  "http://localhost",
  inLibpod({
    CreateVolume: { ...volumes.CreateVolume, results: [VolumeView] as const },
    ListVolumes: { ...volumes.ListVolumes, results: [z.array(VolumeView)] as const },
    InspectVolume: { ...volumes.InspectVolume, results: [VolumeView] as const },
    RemoveVolume: volumes.RemoveVolume,
    PruneVolumes: { ...volumes.PruneVolumes, results: [z.array(PrunedVolume).nullish()] as const },
    ExportVolume: volumes.ExportVolume,
    ImportVolume: volumes.ImportVolume,
    CreateNetwork: { ...networks.CreateNetwork, results: [Told] as const },
    ListNetworks: { ...networks.ListNetworks, results: [z.array(NativeNetworkView)] as const },
    InspectNetwork: { ...networks.InspectNetwork, results: [NativeNetworkView] as const },
    Connect: networks.Connect,
    Disconnect: networks.Disconnect,
    RemoveNetwork: { ...networks.RemoveNetwork, results: [z.array(Told).nullish()] as const },
    CreateSecret: { ...secrets.CreateSecret, results: [MadeSecret] as const },
    ListSecrets: { ...secrets.ListSecrets, results: [z.array(SecretView)] as const },
    InspectSecret: { ...secrets.InspectSecret, results: [SecretView] as const },
    RemoveSecret: secrets.RemoveSecret,
    GetEvents: { ...systemAPI.operations.GetEvents, results: [chan(EventView)] as const },
  }),
  API_OPTIONS,
);

/** Podman's operations on volumes, networks, secrets and events. */
export function nativeResources(client: Client, base: string): ResourceDialect {
  const api = link(definition, base, client);
  return {
    createVolume: ({ name, driver, labels, options }, call) =>
      api.CreateVolume({ Name: name, Driver: driver, Labels: labels, Options: options }, call),
    volumes: (filters, call) => api.ListVolumes({ filters }, call),
    inspectVolume: (name, call) => api.InspectVolume(name, call),
    removeVolume: (name, force, call) => api.RemoveVolume(name, { force }, call),
    pruneVolumes: async (filters, call) => {
      const reports = await api.PruneVolumes({ filters }, call) ?? [];
      return reports.filter(({ Err }) => Err == null || Err === "").map(({ Id }) => Id);
    },
    exportVolume: (name, call) => api.ExportVolume(name, call),
    importVolume: (name, tar, call) => api.ImportVolume(name, tar, call),
    createNetwork: async (name, { driver = "bridge", subnets, internal, ipv6, labels, options }, call) => {
      const wish = { name, driver, subnets, internal, labels, options, ipv6_enabled: ipv6, dns_enabled: true };
      await api.CreateNetwork(wish, {}, call);
    },
    networks: async (filters, call) => (await api.ListNetworks({ filters }, call)).map(networkOf),
    inspectNetwork: async (name, call) => networkOf(await api.InspectNetwork(name, call)),
    connectNetwork: async (name, { container, aliases, address }, call) => {
      const place = { container, aliases, ...address !== undefined && { static_ips: [address] } };
      await readOut(await api.Connect(name, place, call));
    },
    disconnectNetwork: async (name, container, force, call) =>
      await readOut(await api.Disconnect(name, { Container: container, Force: force }, call)),
    removeNetwork: async (name, force, call) => void await api.RemoveNetwork(name, { force }, call),
    createSecret: async (name, data, labels, call) => {
      const told = Object.keys(labels).length === 0 ? {} : { labels: JSON.stringify(labels) };
      return (await api.CreateSecret(new Blob([data.slice()]).stream(), { name, ...told }, call)).ID;
    },
    secrets: (call) => api.ListSecrets({}, call),
    inspectSecret: (name, call) => api.InspectSecret(name, {}, call),
    removeSecret: (name, call) => api.RemoveSecret(name, {}, call),
    events: (range, call) => api.GetEvents({ ...range, stream: true }, call),
  };
}

/** An answer of a few words has to be read, so that its connection is free again. */
export async function readOut(answer: ReadableStream<Uint8Array>): Promise<void> {
  await new Response(answer).arrayBuffer();
}

function networkOf(view: z.output<typeof NativeNetworkView>): NetworkDetails {
  return {
    id: view.id,
    name: view.name,
    driver: view.driver,
    created: view.created == null ? undefined : new Date(view.created),
    subnets: (view.subnets ?? []).map(({ subnet, gateway }) => ({ subnet, gateway: gateway ?? undefined })),
    internal: view.internal ?? false,
    ipv6: view.ipv6_enabled ?? false,
    labels: view.labels ?? {},
    options: view.options ?? {},
    containers: Object.entries(view.containers ?? {}).map(([id, { name }]) => ({ id, name })),
  };
}
