import type { ContainerDefaults } from "../../records/container_defaults.ts";
import type { ContainerSpec, NamespaceMode } from "../../records/container_record.ts";
import type { ContainerRequest } from "./container_request.ts";
import { namespaceMode, parseNamespace, parseNetwork } from "./namespace_mode.ts";
import { userNamespace } from "./user_namespace.ts";

/** Chooses the namespaces that a request leaves open, and the networks and users that come with them. */
export function chooseNamespaces(
  request: ContainerRequest,
  owner: ContainerDefaults,
): Pick<ContainerSpec, "namespaces" | "networks" | "userMaps" | "user"> {
  const asked = request.namespaces ?? {};
  const choose = (kind: "pid" | "ipc" | "uts" | "cgroup", last: NamespaceMode["mode"]): NamespaceMode => {
    const word = owner[OWNER_FIELDS[kind]];
    return asked[kind] ?? (word === undefined ? undefined : namespaceMode(kind, parseNamespace(word))) ??
      { mode: last };
  };
  const { network, networks } = chooseNetwork(request, owner);
  const { mode: user, ...users } = chooseUsers(request, owner);
  return {
    namespaces: {
      network,
      pid: choose("pid", "private"),
      ipc: choose("ipc", "shareable"),
      uts: choose("uts", "private"),
      cgroup: choose("cgroup", "private"),
      // The host's is what a spec without one has.
      ...user && user.mode !== "host" && { user },
    },
    networks,
    ...users,
  };
}

const OWNER_FIELDS = { pid: "pidns", ipc: "ipcns", uts: "utsns", cgroup: "cgroupns" } as const;

/** A request that names networks means them, whatever the owner chose. */
function chooseNetwork({ namespaces, networks = {} }: ContainerRequest, { netns }: ContainerDefaults) {
  const asked = namespaces?.network;
  if (asked !== undefined || netns === undefined || Object.keys(networks).length > 0) {
    return { network: asked ?? { mode: "bridge" as const }, networks };
  }
  const choice = parseNetwork(netns);
  return {
    network: choice.mode ?? { mode: "bridge" as const },
    networks: Object.fromEntries(choice.networks.map((name) => [name, { aliases: [], staticIPs: [] }])),
  };
}

function chooseUsers({ namespaces, userMaps, user }: ContainerRequest, { userns }: ContainerDefaults) {
  const mode = namespaces?.user;
  if (mode !== undefined || userMaps !== undefined || userns === undefined) return { mode, userMaps, user };
  return { ...userNamespace(parseNamespace(userns)), user };
}
