/**
 * Published ports: each is an element of a map of the table for all servers of a machine. netavark could publish as well, by a chain of
 * iptables rules per container; taking those away costs 80 to 140 ms.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import type { PortMapping } from "../../../../engine/records/container_record.ts";
import type { PublishedPorts } from "../../../../engine/ports/network_port.ts";
import { portInUse } from "../../../../engine/ports/published_ports.ts";
import { isAnyAddress } from "../../../../engine/text/ip.ts";
import { hostAddresses } from "../host_subnets.ts";
import { errorSays, ignoreMissing, runNft, runScript, TABLE } from "./firewall_table.ts";
import { ERRORS, LinkError, type LinkHelper, sendMessages } from "../links/link_helper.ts";
import { getElements, replaceElements, type SetElement } from "../links/set_messages.ts";

/** The most elements that are changed without a program: the messages fit into the buffer of a socket. */
const MOST_ELEMENTS = 600;

/** A published port: an entry of one of the table's maps. */
export type Published = Required<Pick<SetElement, "map" | "key" | "owner">>;

/** The part of {@linkcode PublishedPorts} that an element is made of. */
type PublishOptions = Pick<PublishedPorts, "containerID" | "ports" | "addresses">;

/**
 * Publishes all of a container's ports or none, in place of those it has. A port that another container has, of this server or
 * of another one, is `EngineError("port_in_use")`.
 *
 * @param old The elements the container has
 * @returns Those it has now
 */
export async function publishPorts(
  helper: LinkHelper,
  options: PublishOptions,
  old: readonly Published[] = [],
): Promise<Published[]> {
  const elements = options.addresses.flatMap((address) => mapElements(options, address));
  try {
    await changeElements(helper, old, elements);
  } catch (error) {
    if (!isExisting(error)) throw error;
    // Neither nft nor the kernel says which.
    throw portInUse(options.ports[0]!, options.ports[0]!.hostPort, error);
  }
  return elements.map(({ map, key, owner }) => ({ map, key, owner }));
}

/**
 * Takes back every port of a container.
 *
 * @param known Its elements, where this process has made them: looking for them takes the longer the more ports there are
 */
export async function unpublishPorts(
  helper: LinkHelper,
  containerID: string,
  known?: readonly Published[],
): Promise<void> {
  if (known !== undefined) {
    try {
      return await changeElements(helper, known, []);
    } catch (error) {
      // A firewall that was loaded anew has flushed some of them.
      ignoreMissingElement(error);
    }
  }
  await changeElements(helper, await publishedBy(containerID), []).catch(ignoreMissingElement);
}

/** The elements of a container, whoever has made them. */
export async function publishedBy(containerID: string): Promise<Published[]> {
  return (await listPublished()).filter(({ owner }) => owner === containerID);
}

/** Returns whether containers have none of the ports. One look costs the same however many ports are published: the kernel is asked for each. */
export async function areUnpublished(helper: LinkHelper, ports: readonly PortMapping[]): Promise<boolean> {
  const found = ports.some(({ hostIP }) => isAnyAddress(hostIP)) ? hostAddresses() : [];
  const wanted = ports.flatMap((mapping) => {
    // A port of every address clashes with that of a single one, and the other way round.
    const others = isAnyAddress(mapping.hostIP) ? found : [""];
    return [mapping, ...others.map((hostIP) => ({ ...mapping, hostIP }))];
  });
  const asked = { containerID: "check", ports: wanted, addresses: [] };
  const elements = ["127.0.0.1", "::1"].flatMap((target) => mapElements(asked, target));
  const unique = [...new Map(elements.map((element) => [`${element.map} ${element.key}`, element])).values()];
  if (unique.length > MOST_ELEMENTS) return await wouldCreate(unique);
  if (unique.length === 0) return true;
  try {
    return (await helper.run(sendMessages("netfilter", getElements(unique), ERRORS.missing))).length === 0;
  } catch (error) {
    // A kernel without nftables has nothing published.
    if (error instanceof LinkError) return true;
    throw error;
  }
}

/** Asks the kernel whether it would take elements; it takes none. */
async function wouldCreate(elements: readonly SetElement[]): Promise<boolean> {
  try {
    await runNft(["--check", "--file", "-"], createLines(elements).join("\n"));
    return true;
  } catch (error) {
    if (errorSays(error, "File exists")) return false;
    // Without the table nothing is published.
    ignoreMissing(error);
    return true;
  }
}

/** Deletes elements and makes others, all or none. */
async function changeElements(
  helper: LinkHelper,
  old: readonly Published[],
  made: readonly SetElement[],
): Promise<void> {
  const count = old.length + made.length;
  if (count === 0) return;
  if (count > MOST_ELEMENTS) return await runScript([...deleteLines(old), ...createLines(made)].join("\n"));
  await helper.run(sendMessages("netfilter", replaceElements(old, made)));
}

function isExisting(error: unknown): boolean {
  return error instanceof LinkError ? error.code === ERRORS.exists : errorSays(error, "File exists");
}

function ignoreMissingElement(error: unknown): void {
  if (error instanceof LinkError ? error.code !== ERRORS.missing : ignoreMissing(error) !== undefined) throw error;
}

/** One command for all elements of a map: each command costs the kernel and nft as much as hundreds of elements. */
function createLines(elements: readonly SetElement[]): string[] {
  return [...Map.groupBy(elements, ({ map }) => map)].map(([map, found]) => {
    const items = found.map(({ key, value, owner }) => `${key} comment "${owner}" : ${value}`);
    return `create element ${TABLE} ${map} { ${items.join(", ")} }`;
  });
}

function deleteLines(entries: readonly Published[]): string[] {
  return [...Map.groupBy(entries, ({ map }) => map)].map(([map, found]) =>
    `delete element ${TABLE} ${map} { ${found.map(({ key }) => key).join(", ")} }`
  );
}

/** Every published port there is. */
async function listPublished(): Promise<Published[]> {
  const listed = await runNft(["--json", "list", "table", "inet", "gantry"]).catch(ignoreMissing);
  if (listed === undefined) return [];
  const found: Published[] = [];
  // nft's JSON, see libnftables-json(5): an element with a comment is wrapped, and a map's is a pair of key and value.
  const { nftables } = JSON.parse(listed) as { nftables: { map?: { name: string; elem?: NftElement[] } }[] };
  for (const { map } of nftables) {
    for (const [key] of map?.elem ?? []) {
      if ("elem" in key) found.push({ map: map!.name, key: key.elem.val.concat.join(" . "), owner: key.elem.comment });
    }
  }
  return found;
}

type NftElement = [{ elem: { val: { concat: (string | number)[] }; comment: string } } | { concat: unknown }, unknown];

function mapElements({ containerID: owner, ports }: PublishOptions, address: string): Required<SetElement>[] {
  const family = isIPv6(address) ? 6 : 4;
  return ports.flatMap(({ hostIP, hostPort, containerPort, protocol, range }) => {
    const wildcard = isAnyAddress(hostIP);
    // An address of one family cannot be forwarded to one of the other; `0.0.0.0` means IPv4 alone.
    if (hostIP !== "" && isIPv6(hostIP) !== (family === 6)) return [];
    return Array.from({ length: range }, (_, index) => ({
      map: `${wildcard ? "any" : "one"}${family}`,
      key: `${wildcard ? "" : `${hostIP} . `}${protocol} . ${hostPort + index}`,
      value: `${address} . ${containerPort + index}`,
      owner,
    }));
  });
}
