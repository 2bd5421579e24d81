import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { viewMode } from "../../containers/view/inspect_host.ts";

/** `HostConfig.NetworkMode` in Docker's words: it names the network that a container was made with, where that is one of the user's. */
export function dockerNetworkMode({ networks, spec }: ContainerRecord): string {
  const mode = viewMode(spec.namespaces.network);
  const [first = DEFAULT_NETWORK] = Object.keys(networks);
  return mode === "bridge" && first !== DEFAULT_NETWORK ? first : mode;
}
