import type { ContainerRecord } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { isCode } from "../failures.ts";

/** The digits of an ID as clients print it. */
const SHORT_ID = 12;

/**
 * Returns a container's record with an entry of /etc/hosts for each of its links whose container runs in one of its networks. The
 * address is the one at this container's start.
 */
export function withLinkedHosts(context: Context, record: ContainerRecord): ContainerRecord {
  const { links = [], hosts, noHosts } = record.spec;
  const linked = noHosts ? [] : links.flatMap((link) => linkedHosts(context, record, link));
  return linked.length === 0 ? record : { ...record, spec: { ...record.spec, hosts: [...hosts, ...linked] } };
}

function linkedHosts(context: Context, { networks }: ContainerRecord, link: string): string[] {
  const [nameOrID, alias] = link.split(":");
  const other = findContainer(context, nameOrID);
  const interfaces = other?.state.network?.interfaces ?? {};
  const addresses = Object.keys(networks).flatMap((name) => interfaces[name]?.addresses ?? []);
  const found = addresses.find(({ address }) => !address.includes(":")) ?? addresses[0];
  if (other === undefined || found === undefined) return [];
  // Docker names it by its ID and its own name, too.
  const names = new Set([alias, other.id.slice(0, SHORT_ID), other.name]);
  return [...names].map((name) => `${name}:${found.address}`);
}

/** `undefined` for a container that is gone. */
function findContainer(context: Context, nameOrID: string): ContainerRecord | undefined {
  try {
    return context.records.resolve(nameOrID);
  } catch (error) {
    if (isCode(error, "no_such_container", "ambiguous")) return undefined;
    throw error;
  }
}
