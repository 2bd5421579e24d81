import { SHARED_FOLDER } from "../../lib/platform/linux/subnets.ts";

/** What a server and its containers have left on this machine, by name. Empty lists mean nothing is left. */
export interface Traces {
  processes: string[];
  mounts: string[];
  namespaces: string[];
  cgroups: string[];
  interfaces: string[];
}

/** Looks for traces of containers of the server in `folder`: everything a container makes carries its folder or its ID. */
export function traces(folder: string, ids: readonly string[] = []): Traces {
  return {
    processes: processes(folder),
    mounts: Deno.readTextFileSync("/proc/self/mountinfo").split("\n").filter((line) => line.includes(`${folder}/`))
      .map((line) => line.split(" ")[4]),
    namespaces: list(`${folder}/run/netns`),
    cgroups: cgroups("/sys/fs/cgroup", ids),
    interfaces: interfaces(folder),
  };
}

/** Interfaces on the server's own bridges: others on this machine have theirs. */
function interfaces(folder: string): string[] {
  return list(SHARED_FOLDER).flatMap((bridge) => {
    try {
      const { root } = JSON.parse(Deno.readTextFileSync(`${SHARED_FOLDER}/${bridge}`));
      return root === `${folder}/root` ? list(`/sys/class/net/${bridge}/brif`) : [];
    } catch {
      // Another server took its note back while we looked.
      return [];
    }
  });
}

/** How many files the process holds open. */
export function openFiles(pid: number): number {
  return list(`/proc/${pid}/fd`).length;
}

function processes(folder: string): string[] {
  const found: string[] = [];
  for (const name of list("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " ");
      if (command.includes(folder) && !command.includes("serve.ts") && !command.includes("docker-registry")) {
        found.push(command);
      }
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

function cgroups(folder: string, ids: readonly string[]): string[] {
  const found: string[] = [];
  const walk = (path: string, depth: number) => {
    if (depth > 6) return;
    try {
      for (const entry of Deno.readDirSync(path)) {
        if (!entry.isDirectory) continue;
        const inner = `${path}/${entry.name}`;
        if (ids.some((id) => entry.name.includes(id))) found.push(inner);
        walk(inner, depth + 1);
      }
    } catch {
      // It was removed while we looked.
    }
  };
  walk(folder, 0);
  return found;
}

function list(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map((entry) => entry.name);
  } catch {
    return [];
  }
}
