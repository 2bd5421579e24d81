import type { ContainerSpec, LogSource, OlderLogs } from "../../records/container_record.ts";
import type { Host } from "../../ports/host_port.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { parseSyslogOptions } from "../../text/logs/syslog.ts";
import { isPath } from "./mounts.ts";
import { invalid } from "../../errors.ts";

/** The greatest number of files that a log may have. */
export const MOST_LOG_FILES = 1000;

/** Docker's driver `local` keeps these where a request says nothing else, and so does what a driver without a file has for readers. */
const LOCAL = { sizeMax: 20 * 1024 * 1024, files: "5" };

/** Words of Go's `strconv.ParseBool`. */
const YES = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const NO = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/** Chooses the place of a new container's log. Throws `invalid` for an impossible path. */
export async function chooseLog(host: Host, id: string, spec: ContainerSpec): Promise<LogSource> {
  const { files } = host;
  const source = host.logSource(id, spec.logDriver ?? "k8s-file");
  const { logPath: path } = spec;
  if (spec.logDriver === "syslog") await requireReceiver(files, spec);
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

/** Throws `invalid` where the socket of a syslog is not there, as Docker does. Any other receiver may come later. */
async function requireReceiver(files: Host["files"], { logOptions }: ContainerSpec): Promise<void> {
  const { path } = parseSyslogOptions(logOptions);
  if (path !== "" && !await files.exists(path)) throw invalid(`stat ${path}`, "no such file or directory");
}

/**
 * Returns the older files that a log keeps; `undefined` for none. Without a greatest size there are none, nor at a path that the
 * client names: others may change what is there.
 */
export function olderLogs(
  spec: Pick<ContainerSpec, "logDriver" | "logOptions" | "logSizeMax" | "logPath">,
): OlderLogs | undefined {
  const { logDriver, logPath } = spec;
  if (logDriver === "journald" || logDriver === "none" || logPath !== undefined) return undefined;
  const isLocal = logDriver === "local" || logDriver === "syslog";
  const { files = isLocal ? LOCAL.files : "1", compress = String(isLocal) } = fileOptions(spec);
  if (Number(files) < 2 || chooseSize(spec) === undefined) return undefined;
  return { files: Number(files), gzip: asksYes(compress) };
}

/** The options of a log's files, by the names that the driver has for them. */
function fileOptions({ logDriver, logOptions }: Pick<ContainerSpec, "logDriver" | "logOptions">) {
  if (logDriver !== "syslog") return { files: logOptions["max-file"], compress: logOptions.compress };
  return { files: logOptions["cache-max-file"], compress: logOptions["cache-compress"] };
}

/** Reads an option that is yes or no, in Go's words. Throws `invalid` in them. */
export function asksYes(text: string): boolean {
  if (YES.has(text)) return true;
  if (NO.has(text)) return false;
  throw invalid(`strconv.ParseBool: parsing "${text}": invalid syntax`);
}

type Size = Pick<ContainerSpec, "logDriver" | "logOptions" | "logSizeMax">;

function chooseSize({ logDriver, logOptions, logSizeMax = 0 }: Size): number | undefined {
  const { "cache-max-size": cached } = logOptions;
  if (logDriver === "syslog") return cached === undefined ? LOCAL.sizeMax : parseByteSize(cached);
  if (logSizeMax > 0) return logSizeMax;
  return logDriver === "local" ? LOCAL.sizeMax : undefined;
}
