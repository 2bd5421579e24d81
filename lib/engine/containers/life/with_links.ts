import type { ContainerRecord } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { isNetworkName } from "../create/choose_networks.ts";
import { linkedContainer, linkVariables } from "./link_variables.ts";

/** The digits of an ID as clients print it. */
const SHORT_ID = 12;

/**
 * Returns a container's record as it starts: with an entry of /etc/hosts for each of its links whose container runs in one of its networks,
 * and with the variables of those in the default network. The address is the one at this container's start.
 */
export function withLinks(context: Context, record: ContainerRecord): ContainerRecord {
  const { links = [], hosts, noHosts } = record.spec;
  if (links.length === 0) return record;
  const linked = noHosts ? [] : links.flatMap((link) => linkedHosts(context, record, link));
  const env = [...record.process.env, ...linkVariables(context, record)];
  return {
    ...record,
    spec: { ...record.spec, hosts: [...hosts, ...linked] },
    process: { ...record.process, env },
  };
}

function linkedHosts(context: Context, { networks }: ContainerRecord, link: string): string[] {
  const other = linkedContainer(context, link);
  const interfaces = other?.state.network?.interfaces ?? {};
  const addresses = Object.keys(networks).flatMap((name) => interfaces[name]?.addresses ?? []);
  const found = addresses.find(({ address }) => !address.includes(":")) ?? addresses[0];
  if (other === undefined || found === undefined) return [];
  const { hostname = "" } = other.spec;
  // An entry is `NAME;NAME:ADDRESS`: a hostname with these characters would be read as more than a name.
  const isName = isNetworkName(hostname) && !/[:;]/.test(hostname);
  // Docker names it by its hostname, which is its ID mostly, and its own name, too.
  const names = new Set([link.split(":")[1], isName ? hostname : other.id.slice(0, SHORT_ID), other.name]);
  return [...names].map((name) => `${name}:${found.address}`);
}
