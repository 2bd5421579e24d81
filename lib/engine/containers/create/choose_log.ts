import type { ContainerSpec, LogSource } from "../../records/container_record.ts";
import type { Host } from "../../ports/host_port.ts";
import { invalid } from "../failures.ts";
import { cleanPath, isPath } from "./mounts.ts";

/** Chooses the place of a new container's log. Throws `invalid` for an impossible path. */
export async function chooseLog(host: Host, id: string, spec: ContainerSpec): Promise<LogSource> {
  const { files } = host;
  const source = host.logSource(id, spec.logDriver ?? "k8s-file");
  const { logPath: path } = spec;
  if (path === undefined || source.driver !== "k8s-file") return source;
  if (!path.startsWith("/") || path.endsWith("/") || !isPath(path)) {
    throw invalid(`invalid log path "${path}", must be the absolute path of a file`);
  }
  if (await files.isFolder(path)) throw invalid(`open ${path}`, "is a directory");
  if (!await files.isFolder(path.replace(/\/[^/]+$/, "") || "/")) {
    throw invalid(`open ${path}`, "no such file or directory");
  }
  return { ...source, path: cleanPath(path), kept: true };
}
