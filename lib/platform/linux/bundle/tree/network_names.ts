/**
 * The names in the files of a running container, when its networks change.
 *
 * The files stay the same ones, as they are bound into its tree, and the container may have written to them: only our own
 * lines are changed.
 *
 * @module
 */
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import type { ContainerPaths } from "../../helpers/paths.ts";
import { ownNames, resolvConfText } from "./etc_files.ts";
import { withFile } from "./shared_hosts.ts";

/** A larger file is the container's own affair. */
const FILE_LIMIT = 1024 * 1024;

/** Changes /etc/hosts and /etc/resolv.conf from the networks before to those of the record. */
export async function updateNetworkNames(
  record: ContainerRecord,
  before: NetworkStatus,
  { hosts, resolvConf }: Pick<ContainerPaths, "hosts" | "resolvConf">,
): Promise<void> {
  const after = record.state.network;
  const { noHosts, noResolvConf } = record.spec;
  if (!noHosts) {
    await changeText(hosts, (text) => replaceLines(text, ownLines(record, before), ownLines(record, after)));
  }
  const [old, fresh] = [before, after].map((status) => resolvConfText(record, status));
  // A container that has written its own list keeps it.
  if (!noResolvConf) await changeText(resolvConf, (text) => text === old ? fresh : text);
}

/** Changes the container's name in /etc/hosts, in the lines that `hostsText()` wrote for it. */
export async function renameInHosts(
  record: ContainerRecord,
  before: string,
  { hosts }: Pick<ContainerPaths, "hosts">,
): Promise<void> {
  if (record.spec.noHosts) return;
  const [old, fresh] = [before, record.name].map((name) => ownNames({ ...record, name }).join(" "));
  // The host name is missing where the request gives it an address.
  await changeText(hosts, (text) => {
    const renamed = text.replaceAll(`\t${old}\n`, () => `\t${fresh}\n`);
    return renamed.replaceAll(`\t${before}\n`, () => `\t${record.name}\n`);
  });
}

/** The lines that give the container's names an address in each network. */
function ownLines(record: ContainerRecord, status: NetworkStatus | undefined): string[] {
  const names = ownNames(record).join(" ");
  const links = Object.values(status?.interfaces ?? {});
  return links.flatMap(({ addresses }) => addresses.map(({ address }) => `${address}\t${names}`));
}

function replaceLines(text: string, old: readonly string[], fresh: readonly string[]): string {
  const lines = text.split("\n");
  const missing = fresh.filter((line) => !lines.includes(line));
  const left = lines.filter((line) => !old.includes(line) || fresh.includes(line));
  // The last line is empty where the text ends as a text does.
  const end = left.at(-1) === "" ? left.length - 1 : left.length;
  return left.toSpliced(end, 0, ...missing).join("\n");
}

async function changeText(path: string, change: (text: string) => string): Promise<void> {
  await withFile(path, async (handle) => {
    if ((await handle.stat()).size > FILE_LIMIT) return;
    const text = await readTextBounded(handle, FILE_LIMIT) ?? "";
    const next = change(text);
    if (next === text) return;
    const bytes = new TextEncoder().encode(next);
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
  });
}
