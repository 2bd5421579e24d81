import type { ContainerRecord } from "../../records/container_record.ts";
import { hostID, type IDMaps } from "../../records/id_maps.ts";
import type { TreeOptions } from "../../ports/tree_stack.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { hasNamespace } from "./teardowns.ts";

/** How the container's tree is mounted in its user namespace. IDs that keep their numbers need no mapping. */
export function treeOptions({ idMaps, spec }: ContainerRecord, userns: string | undefined): TreeOptions {
  const { rootfs } = spec;
  const common = spec.volatile ? { volatile: true } : {};
  // A folder of the host is taken as it is.
  if (rootfs !== undefined) return { ...common, rootfs };
  if (idMaps === undefined || userns === undefined || isIdentity(idMaps)) return common;
  const [uid, gid] = [hostID(idMaps.uids, 0), hostID(idMaps.gids, 0)];
  return { ...common, userns, idMaps, ...uid !== undefined && gid !== undefined && { rootOwner: { uid, gid } } };
}

/** The user namespace, which the container's network namespace and its tree are made in; its path. */
export async function makeUsers(context: Context, record: ContainerRecord): Promise<string | undefined> {
  const { idMaps: maps } = record;
  if (maps === undefined) return undefined;
  const join = namespaceOwner(context, record);
  const path = foreignNamespace(context, record);
  return await requireHost(context.core).users.create(record.id, { maps, join, path, network: hasNamespace(record) });
}

/** The path of the user namespace that is nobody's of ours; a container that joins one which has it, has it too. */
export function foreignNamespace(context: Context, { spec }: Pick<ContainerRecord, "spec">): string | undefined {
  const { mode, value } = spec.namespaces.user ?? { mode: "host" };
  if (mode === "path") return value;
  // The one that it joined may be gone: its own files can still be read.
  const other = mode === "container" ? context.records.get(value ?? "") : undefined;
  return other && foreignNamespace(context, other);
}

/** Returns the container that made the user namespace that this one joins, unless it is gone: the one it joins may have joined it too. */
export function namespaceOwner(context: Context, { spec }: Pick<ContainerRecord, "spec">): string | undefined {
  const { mode, value } = spec.namespaces.user ?? { mode: "host" };
  if (mode !== "container") return undefined;
  const other = context.records.get(value ?? "");
  return other && (namespaceOwner(context, other) ?? other.id);
}

function isIdentity({ uids, gids }: IDMaps): boolean {
  return [...uids, ...gids].every(({ container, host }) => container === host);
}
