import type { HostPaths } from "../helpers/paths.ts";
import type { RuntimeSpec } from "./spec_types.ts";

/**
 * The paths below the server's folders at which a runtime finds its container's parts: its tree, its namespaces and the sources of its
 * mounts. `undefined` for a container that needs more of the host than the ground of a runtime: folders of
 * the host, which may have mounts in them, mounts that both sides see, hooks, a terminal, whose socket is in /tmp.
 */
export function lentPaths(spec: RuntimeSpec, { root, runroot }: HostPaths): string[] | undefined {
  const { process, hooks, mounts, linux } = spec;
  if (process.terminal || hooks !== undefined || linux.rootfsPropagation !== "private") return undefined;
  const sources = mounts.filter(isBind).map(({ source = "" }) => source);
  const namespaces = linux.namespaces.flatMap(({ path }) =>
    path === undefined || path.startsWith("/proc/") ? [] : [path]
  );
  const paths = [...new Set([spec.root.path, ...namespaces, ...sources])];
  const isOwn = (path: string) => [root, runroot].some((folder) => path.startsWith(`${folder}/`));
  return paths.every(isOwn) ? paths : undefined;
}

function isBind({ type, options = [] }: RuntimeSpec["mounts"][number]): boolean {
  return type === "bind" || options.includes("bind") || options.includes("rbind");
}
