import type { ContainerRequest } from "../../containers/request/container_request.ts";
import { parseVolume } from "../../containers/request/parse_mounts.ts";
import { orderMounts } from "../../containers/request/mount_specs.ts";
import { parsePort } from "../../kube/play/pod_network.ts";
import type { InfraRequest, PodRequest } from "../../pods/pod_request.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { readPairs } from "../../text/pairs.ts";
import { type FlagTable, ignoreFlag, readNumber, takeLast, takeSwitch } from "./flag_table.ts";
import { PLACE_FLAGS, type PlaceWords } from "./namespace_flags.ts";

/** A pod on its way from a command to a request. */
export interface PodDraft extends PlaceWords {
  request: PodRequest;
  container: ContainerRequest;
  infra: InfraRequest;
}

/** The flags of `podman pod create`, podman-pod-create(1). */
export const POD_FLAGS: FlagTable<PodDraft> = {
  ...PLACE_FLAGS,
  "infra-conmon-pidfile": ignoreFlag(),
  replace: ignoreFlag({ isSwitch: true }),
  name: takeLast(({ request }, value) => void (request.name = value)),
  "infra-name": takeLast(({ infra }, value) => void (infra.name = value)),
  "infra-image": takeLast(({ infra }, value) => void (infra.image = value)),
  "infra-command": takeLast(({ infra }, value) => void (infra.command = value.split(/\s+/))),
  hostname: takeLast(({ request }, value) => void (request.hostname = value)),
  "exit-policy": takeLast(({ request }, value) => void (request.exitPolicy = value)),
  label: { letter: "l", apply: ({ request }, values) => void (request.labels = readPairs(values)) },
  share: takeLast(({ request }, value) => void (request.shared = value.split(","))),
  "cgroup-parent": takeLast(({ request }, value) => void (request.cgroupParent = value)),
  publish: { letter: "p", apply: ({ container }, values) => void (container.ports = values.flatMap(parsePort)) },
  dns: { apply: ({ container }, values) => void (container.dnsServers = values) },
  "dns-option": { apply: ({ container }, values) => void (container.dnsOptions = values) },
  "dns-search": { apply: ({ container }, values) => void (container.dnsSearch = values) },
  "add-host": { apply: ({ container }, values) => void (container.hosts = values) },
  "no-hosts": takeSwitch(({ container }, isOn) => void (container.noHosts = isOn)),
  "shm-size": takeLast(({ container }, value) => void (container.shmSize = parseByteSize(value))),
  volume: {
    letter: "v",
    apply: ({ container }, values) => void (container.mounts = orderMounts(values.map(parseVolume))),
  },
  memory: takeLast(({ request }, value) => {
    request.resources = { ...request.resources, memory: { limit: parseByteSize(value) } };
  }, "m"),
  "pids-limit": takeLast(({ request }, value) => {
    request.resources = { ...request.resources, pids: { limit: readNumber(value) } };
  }),
};
