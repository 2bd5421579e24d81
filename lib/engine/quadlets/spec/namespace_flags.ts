/**
 * Flags of networks, users and other namespaces: several of them make one field.
 *
 * @module
 */
import type { ContainerRequest, MemberRequest } from "../../containers/request/container_request.ts";
import { namespaceMode, parseNamespace } from "../../containers/request/namespace_mode.ts";
import { parseCgroupsMode } from "../../containers/request/parse_choices.ts";
import { parseMapping, userNamespace } from "../../containers/request/user_namespace.ts";
import { parseNetworks } from "../../kube/play/pod_network.ts";
import { type FlagTable, takeLast } from "./flag_table.ts";

/** The words of a container's or a pod's networks and users, until all of them are known. */
export interface PlaceWords {
  networks: string[];
  addresses: string[];
  aliases: string[];
  macAddress?: string;
  users?: string;
  uids: string[];
  gids: string[];
}

type Draft = PlaceWords & { request: MemberRequest };

/** Returns words that say nothing. */
export function emptyPlace(): PlaceWords {
  return { networks: [], addresses: [], aliases: [], uids: [], gids: [] };
}

/** The flags that containers and pods have in common. */
export const PLACE_FLAGS: FlagTable<PlaceWords> = {
  network: { apply: (draft, values) => void draft.networks.push(...values) },
  "network-alias": { apply: (draft, values) => void draft.aliases.push(...values) },
  ip: { apply: (draft, values) => void draft.addresses.push(...values) },
  ip6: { apply: (draft, values) => void draft.addresses.push(...values) },
  "mac-address": takeLast((draft, value) => void (draft.macAddress = value)),
  userns: takeLast((draft, value) => void (draft.users = value)),
  uidmap: { apply: (draft, values) => void draft.uids.push(...values) },
  gidmap: { apply: (draft, values) => void draft.gids.push(...values) },
};

/** The flags of a container's namespaces. */
export const NAMESPACE_FLAGS: FlagTable<Draft> = {
  ...PLACE_FLAGS,
  cgroups: takeLast(({ request }, value) => {
    // A unit's own cgroup is what "split" divides: without systemd there is none, and the usual ones serve.
    if (value !== "split") request.cgroupsMode = parseCgroupsMode(value);
  }),
  ...Object.fromEntries((["pid", "ipc", "uts"] as const).map((kind) => [
    kind,
    takeLast<Draft>(({ request }, value) => {
      request.namespaces = { ...request.namespaces, [kind]: namespaceMode(kind, parseNamespace(value)) };
    }),
  ])),
};

/** Returns the network of a container or pod. Throws for words that cannot be. */
export function networkFields(
  { networks: words, addresses, aliases, macAddress }: PlaceWords,
): Pick<ContainerRequest, "namespaces" | "networks"> {
  const hasStatic = addresses.length + aliases.length > 0 || macAddress !== undefined;
  const asked = words.length === 0 && hasStatic ? ["bridge"] : words;
  if (asked.length === 0) return {};
  const { namespaces, networks } = parseNetworks(asked);
  const names = Object.keys(networks);
  if ((addresses.length > 0 || macAddress !== undefined) && names.length !== 1) {
    throw new SyntaxError("an address of its own needs exactly one network");
  }
  const placed = Object.fromEntries(
    Object.entries(networks).map(([name, network]) => [name, {
      ...network,
      aliases: [...network.aliases ?? [], ...aliases],
      staticIPs: [...network.staticIPs ?? [], ...addresses],
      ...macAddress !== undefined && { mac: macAddress },
    }]),
  );
  return { ...namespaces && { namespaces }, ...names.length > 0 && { networks: placed } };
}

/** Returns the users of a container or pod, and their namespace. Throws for words that cannot be. */
export function userFields(
  { users, uids, gids }: PlaceWords,
): Pick<ContainerRequest, "namespaces" | "userMaps"> {
  if (users === undefined && uids.length + gids.length === 0) return {};
  const maps = { uids: uids.map(parseMapping), gids: gids.map(parseMapping) };
  const { mode, ...fields } = userNamespace({ ...parseNamespace(users ?? ""), maps });
  return { ...fields, ...mode && { namespaces: { user: mode } } };
}
