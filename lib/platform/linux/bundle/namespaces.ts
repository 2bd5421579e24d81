import type { ContainerRecord, NamespaceMode } from "../../../engine/records/container_record.ts";
import type { SpecNamespace } from "./spec_types.ts";

/** The sources of a container's namespaces besides its record. */
export interface NamespaceSources {
  netns?: string;
  /** The container's own user namespace, made beforehand. */
  userns?: string;
  /** The pid of another container's process, whose namespaces are joined. */
  pidOf: (containerID: string) => Promise<number>;
}

/** The namespaces of a container; those of the host are left out. */
export async function containerNamespaces(
  record: ContainerRecord,
  sources: NamespaceSources,
): Promise<SpecNamespace[]> {
  const { network, pid, ipc, uts, cgroup, user } = record.spec.namespaces;
  const one = async (
    type: SpecNamespace["type"],
    file: string,
    { mode, value }: NamespaceMode,
  ): Promise<SpecNamespace[]> => {
    if (mode === "host") return [];
    if (mode === "path") return [{ type, path: value }];
    if (mode === "container") return [{ type, path: `/proc/${await sources.pidOf(value ?? "")}/ns/${file}` }];
    return [{ type }];
  };
  const { netns, userns } = sources;
  const all = await Promise.all([
    userns !== undefined ? [{ type: "user" as const, path: userns }] : one("user", "user", user ?? { mode: "host" }),
    one("pid", "pid", pid),
    netns === undefined ? one("network", "net", network) : [{ type: "network" as const, path: netns }],
    one("ipc", "ipc", ipc),
    one("uts", "uts", uts),
    one("cgroup", "cgroup", cgroup),
  ]);
  return [...all.flat(), { type: "mount" }];
}
