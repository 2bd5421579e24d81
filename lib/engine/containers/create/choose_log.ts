import type { ContainerSpec, LogSource, OlderLogs } from "../../records/container_record.ts";
import type { Host } from "../../ports/host_port.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import { isPath } from "./mounts.ts";
import { invalid } from "../../errors.ts";

/** The greatest number of files that a log may have. */
export const MOST_LOG_FILES = 1000;

/** Docker's driver `local` keeps these where a request says nothing else. */
const LOCAL = { sizeMax: 20 * 1024 * 1024, files: "5" };

/** Words of Go's `strconv.ParseBool`. */
const YES = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const NO = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/** Chooses the place of a new container's log. Throws `invalid` for an impossible path. */
export async function chooseLog(host: Host, id: string, spec: ContainerSpec): Promise<LogSource> {
  const { files } = host;
  const source = host.logSource(id, spec.logDriver ?? "k8s-file");
  const { logPath: path } = spec;
  if (source.driver !== "k8s-file") return source;
  const sizeMax = chooseSize(spec);
  // Readers that follow are to miss no line where a log begins anew, also one that keeps its last file only.
  const older = olderLogs(spec) ?? (sizeMax === undefined ? undefined : { files: 1, gzip: false });
  if (path === undefined) return { ...source, ...sizeMax && { sizeMax }, ...older && { older } };
  if (!path.startsWith("/") || path.endsWith("/") || !isPath(path)) {
    throw invalid(`invalid log path "${path}", must be the absolute path of a file`);
  }
  if (await files.isFolder(path)) throw invalid(`open ${path}`, "is a directory");
  if (!await files.isFolder(path.replace(/\/[^/]+$/, "") || "/")) {
    throw invalid(`open ${path}`, "no such file or directory");
  }
  return { ...source, ...sizeMax && { sizeMax }, path: cleanPath(path), kept: true };
}

/**
 * Returns the older files that a log keeps; `undefined` for none. Without a greatest size there are none, nor at a path that the
 * client names: others may change what is there.
 */
export function olderLogs(
  spec: Pick<ContainerSpec, "logDriver" | "logOptions" | "logSizeMax" | "logPath">,
): OlderLogs | undefined {
  const { logDriver, logOptions, logPath } = spec;
  if (logDriver === "journald" || logDriver === "none" || logPath !== undefined) return undefined;
  const isLocal = logDriver === "local";
  const { "max-file": files = isLocal ? LOCAL.files : "1", compress = String(isLocal) } = logOptions;
  if (Number(files) < 2 || chooseSize(spec) === undefined) return undefined;
  return { files: Number(files), gzip: asksCompression(compress) };
}

/** Reads the option `compress`. Throws `invalid` in Go's words. */
export function asksCompression(text: string): boolean {
  if (YES.has(text)) return true;
  if (NO.has(text)) return false;
  throw invalid(`strconv.ParseBool: parsing "${text}": invalid syntax`);
}

function chooseSize({ logDriver, logSizeMax = 0 }: Pick<ContainerSpec, "logDriver" | "logSizeMax">) {
  if (logSizeMax > 0) return logSizeMax;
  return logDriver === "local" ? LOCAL.sizeMax : undefined;
}
