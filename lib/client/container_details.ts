import type { ContainerView, ListedContainer } from "./dialects/views.ts";
import { plainID } from "./client_images.ts";

/** The facts about a container. */
export interface ContainerDetails {
  readonly id: string;
  readonly name: string;
  /** The image's name, as it was asked for. */
  readonly image: string;
  /** `created`, `running`, `paused`, `exited`, … in the server's word. */
  readonly status: string;
  readonly running: boolean;
  /** 0 before it has ended. */
  readonly exitCode: number;
  /** `healthy`, `unhealthy`, `starting`; absent without a health check. */
  readonly health: string | undefined;
  readonly terminal: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Places on the host by port and protocol: `{ "80/tcp": [{ address: "0.0.0.0", port: 32768 }] }`. */
  readonly ports: Readonly<Record<string, readonly { readonly address: string; readonly port: number }[]>>;
  /** Its IP addresses by network. */
  readonly addresses: Readonly<Record<string, string>>;
  /** All that the server tells, as it tells it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Translates the facts of either tree. */
export function detailsOf(view: ContainerView): ContainerDetails {
  const { State, Config, NetworkSettings } = view;
  const networks = Object.entries(NetworkSettings.Networks ?? {});
  return {
    id: view.Id,
    name: view.Name.replace(/^\//, ""),
    image: Config.Image ?? "",
    status: State.Status,
    running: State.Status === "running",
    exitCode: State.ExitCode,
    health: (State.Health ?? State.Healthcheck)?.Status || undefined,
    terminal: Config.Tty ?? false,
    labels: Config.Labels ?? {},
    ports: Object.fromEntries(
      Object.entries(NetworkSettings.Ports ?? {}).map(([port, places]) => [
        port,
        (places ?? []).map(({ HostIp, HostPort }) => ({ address: HostIp ?? "", port: Number(HostPort) })),
      ]),
    ),
    addresses: Object.fromEntries(
      networks.flatMap(([name, network]) => network?.IPAddress ? [[name, network.IPAddress]] : []),
    ),
    raw: view,
  };
}

/** A container in a list. */
export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Translates an entry of a list of either tree. */
export function summaryOf({ Id, Names, Image, State, Labels }: ListedContainer): ContainerSummary {
  return {
    id: plainID(Id),
    name: (Names?.[0] ?? "").replace(/^\//, ""),
    image: Image,
    status: State,
    labels: Labels ?? {},
  };
}
