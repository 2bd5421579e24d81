/**
 * The parts of create requests that containers and pods of Podman's tree have in common.
 *
 * @module
 */
import type { PublishedPort } from "../container_options.ts";

/** The network. Without one the server chooses: Podman has another default for ordinary users. */
export function networkWish(network: string | undefined): {
  netns?: { nsmode: string };
  Networks?: Record<string, Record<string, never>>;
} {
  if (network === undefined) return {};
  if (/^(?:bridge|none|host)$/.test(network)) return { netns: { nsmode: network } };
  return { netns: { nsmode: "bridge" }, Networks: { [network]: {} } };
}

/** Published ports. */
export function portWishes(ports: readonly PublishedPort[]): {
  host_ip: string;
  container_port: number;
  host_port: number;
  protocol: string;
}[] {
  return ports.map(({ address, container, host, protocol }) => ({
    host_ip: address,
    container_port: container,
    host_port: host,
    protocol,
  }));
}
