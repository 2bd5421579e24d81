/**
 * The places to which supervisors write logs, and the reader of each.
 *
 * @module
 */
import type { LogSource } from "../../../engine/records/container_record.ts";
import { FieldError } from "../../../engine/errors.ts";
import type { LogPlace, LogReadOptions } from "../../../engine/ports/host_port.ts";
import { containerPaths, type HostPaths } from "../helpers/paths.ts";
import { openNamedFile } from "../helpers/named_paths.ts";
import { removeFile } from "../helpers/tree.ts";
import { hasJournal, readJournal } from "./journal_log.ts";
import { readLogFile } from "./log_file.ts";
import { findLogPlace, openOwn } from "./log_place.ts";
import { deleteOlder, olderPlace, readOlder } from "./older_files.ts";

/**
 * Returns the place in which a driver keeps a container's log. Throws `EngineError("unsupported")` for a journal where there is
 * none.
 */
export function logSource(paths: HostPaths, containerID: string, driver: string): LogSource {
  if (driver === "none") return { driver, path: "" };
  if (driver !== "journald") return { driver: "k8s-file", path: containerPaths(paths, containerID).log };
  if (hasJournal()) return { driver, path: "", id: containerID };
  const fault = '"journald": this host has no journal';
  throw new FieldError("unsupported", ["logDriver"], (name) => `Create container: "${name}" ${fault}`);
}

/** The supervisor's arguments for a log. */
export function logArguments({ driver, path }: LogSource, tag: string | undefined): string[] {
  const place = driver === "k8s-file" ? `k8s-file:${path}` : driver;
  return ["--log-path", place, ...tag !== undefined && driver === "journald" ? ["--log-tag", tag] : []];
}

/** A log's bytes, in the Kubernetes format wherever it is. */
export function readLog(
  { driver, path, id = "", kept, older }: LogSource,
  options: LogReadOptions,
): ReadableStream<Uint8Array> {
  if (driver === "none") return new ReadableStream({ start: (controller) => controller.close() });
  if (older) return readOlder(path, options);
  return driver === "journald" ? readJournal(id, options) : readLogFile(path, options, kept ? openNamedFile : openOwn);
}

/** Returns the place at which a log's last records begin; a journal has one place only, its beginning. */
export async function logPlaceOf({ driver, path, kept, older }: LogSource, records: number): Promise<LogPlace> {
  if (driver !== "k8s-file") return { offset: 0, file: "" };
  if (older) return await olderPlace(path, records);
  return await findLogPlace(path, records, kept ? openNamedFile : openOwn);
}

/** Deletes a log that is the container's own; a journal forgets by its own rules. */
export async function deleteLog({ driver, path, kept, older }: LogSource): Promise<void> {
  if (driver !== "k8s-file" || kept) return;
  await removeFile(path);
  if (older) await deleteOlder(path);
}
