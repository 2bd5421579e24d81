import type { ContainerRecord, ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import type { ContainerFacts } from "../../../lib/engine/ports/host_facts.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { getContainer } from "../../containers/inspect.ts";
import { ContainerInspect } from "../../wire/compat/container.ts";
import type { EndpointIPAMConfig, NetworkSettings } from "../../wire/compat/network.ts";
import type { InspectContainerData } from "../../wire/containers/container_inspect.ts";
import { emit, type Sparse } from "../../wire/emit.ts";
import { inspectHealth } from "./health.ts";
import { dockerState } from "./state.ts";

/** Tells all there is to know of a container, as Docker does. Most fields are the native ones by the same name. */
export async function compatGetContainer(engine: Engine, name: string, size: boolean): Promise<ContainerInspect> {
  const native = await getContainer(engine, name, { size });
  const { state, stopSignal, health, spec, networks: attachments } = engine.containers.resolve(native.Id);
  return emit(ContainerInspect, {
    ...native,
    State: {
      ...native.State,
      Status: dockerState(state.status),
      Running: isRunning(native),
      Health: inspectHealth(native, health),
    },
    Image: `sha256:${native.Image}`,
    LogPath: native.HostConfig?.LogConfig?.Path,
    Name: `/${native.Name}`,
    Platform: "linux",
    GraphDriver: native.GraphDriver,
    HostConfig: hostConfig(native, spec, engine.containers.facts(native.Id)),
    Config: config(native, stopSignal),
    NetworkSettings: { ...native.NetworkSettings, Networks: networks(native, attachments) },
    Mounts: native.Mounts?.map((mount) => ({ ...mount, Mode: mount.Options?.join() ?? "" })),
  });
}

/** Docker counts a paused container as running. */
function isRunning({ State }: InspectContainerData): boolean {
  return State?.Running === true || State?.Paused === true;
}

function hostConfig(
  { HostConfig: native }: InspectContainerData,
  { sysctl, privileged }: ContainerSpec,
  facts: ContainerFacts | undefined,
): Sparse<ContainerInspect["HostConfig"]> {
  if (!native) return null;
  const { LogConfig, CgroupMode, CapAdd, CapDrop, ...same } = native;
  return {
    ...same,
    Sysctls: sysctl,
    ConsoleSize: [0, 0],
    LogConfig: { Type: LogConfig?.Type === "k8s-file" ? "json-file" : LogConfig?.Type, Config: LogConfig?.Config },
    CgroupnsMode: CgroupMode === "host" ? "host" : "private",
    CapAdd: CapAdd?.map(capability),
    CapDrop: CapDrop?.map(capability),
    // A privileged container has none, which Docker tells apart from an empty list.
    MaskedPaths: privileged ? null : facts?.hidden.maskedPaths ?? null,
    ReadonlyPaths: privileged ? null : facts?.hidden.readonlyPaths ?? null,
  };
}

function networks(
  { NetworkSettings }: InspectContainerData,
  attachments: ContainerRecord["networks"],
): Sparse<NetworkSettings>["Networks"] {
  const endpoints = Object.entries(NetworkSettings?.Networks ?? {});
  return Object.fromEntries(endpoints.map(([name, { IPAMConfig: _none, ...same }]) => {
    return [name, { ...same, IPAMConfig: askedAddresses(attachments[name]?.staticIPs ?? []) }];
  }));
}

/** The addresses that were asked for, by which a client that makes the container again asks for them again. */
function askedAddresses(addresses: readonly string[]): Sparse<EndpointIPAMConfig> | null {
  if (addresses.length === 0) return null;
  const isIPv6 = (text: string) => text.includes(":");
  return { IPv4Address: addresses.find((text) => !isIPv6(text)), IPv6Address: addresses.find(isIPv6) };
}

function capability(name: string): string {
  return /^(?:CAP_|ALL$)/.test(name) ? name : `CAP_${name}`;
}

function config({ Config: native }: InspectContainerData, stopSignal: number): Sparse<ContainerInspect["Config"]> {
  if (!native) return null;
  const { Entrypoint, StopSignal: _name, OnBuild: _none, ...same } = native;
  return {
    ...same,
    Entrypoint: typeof Entrypoint === "string" ? [Entrypoint] : Entrypoint,
    StopSignal: String(stopSignal),
  };
}
