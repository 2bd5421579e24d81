import { EngineError } from "../../engine/errors.ts";
import type { Networks, NetworkSetup } from "../../engine/ports/network_port.ts";
import { SubnetSet } from "../../engine/text/subnet_set.ts";
import type { PortMapping } from "../../engine/records/container_record.ts";

/** Networks of which only the books are kept: addresses are given, ports are taken, and nothing is connected. */
export function pretendNetworks(): Networks {
  const namespaces = new Set<string>();
  const ports = new Map<string, readonly PortMapping[]>();
  const checkPorts = (wanted: readonly PortMapping[]) => {
    const taken = new Set([...ports.values()].flat().map(({ hostPort }) => hostPort));
    const clash = wanted.find(({ hostPort }) => taken.has(hostPort));
    if (clash === undefined) return Promise.resolve();
    return Promise.reject(
      new EngineError("port_in_use", `listen tcp :${clash.hostPort}: bind: address already in use`),
    );
  };
  const done = () => Promise.resolve();
  return {
    reserve: (recorded, choose) => {
      const subnets = new SubnetSet(recorded.flatMap((network) => network.subnets.map(({ subnet }) => subnet)));
      const bridges = new Set(recorded.map((network) => network.interface));
      return Promise.resolve(choose({ interfaces: new Set(), bridges, subnets }));
    },
    checkPorts,
    path: (id) => `/pretend/netns/${id}`,
    createNamespace: (id) => {
      namespaces.add(id);
      return Promise.resolve(`/pretend/netns/${id}`);
    },
    setup: async (setup) => {
      await checkPorts(setup.ports);
      ports.set(setup.containerID, [...ports.get(setup.containerID) ?? [], ...setup.ports]);
      return { netns: setup.netns, interfaces: interfacesOf(setup), dnsServers: [], searchDomains: [] };
    },
    teardown: ({ containerID }) => Promise.resolve(void ports.delete(containerID)),
    publish: (options) => Promise.resolve(void ports.set(options.containerID, options.ports)),
    deleteNamespace: (id) => Promise.resolve(void namespaces.delete(id)),
    updateNames: done,
    rename: done,
    updateServers: done,
    check: done,
    isMade: () => false,
    remove: done,
    releaseUnrecorded: done,
    interfacesIn: () => Promise.resolve({}),
    list: () => Promise.resolve([...namespaces]),
    askGRPCHealth: () => Promise.resolve({ isServing: false, text: "this engine only pretends to have networks" }),
  };
}

function interfacesOf({ attachments }: NetworkSetup) {
  return Object.fromEntries(attachments.map(({ network, attachment }, index) => {
    const addresses = attachment.staticIPs.map((address) => ({ address, prefix: 24 }));
    const mac = `02:00:00:00:00:${(index + 1).toString(16).padStart(2, "0")}`;
    return [network.name, { name: attachment.interfaceName, mac, addresses }];
  }));
}
