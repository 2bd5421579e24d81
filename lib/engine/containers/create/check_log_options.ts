import type { ContainerSpec } from "../../records/container_record.ts";
import { DOCKER_FILES, LOG_DRIVERS, OTHER_LOG_DRIVERS } from "../../text/logs/log_drivers.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { compilePattern } from "../../text/pattern.ts";
import { parseSyslogOptions, SYSLOG_OPTIONS } from "../../text/logs/syslog.ts";
import { parseTagTemplate } from "../../text/logs/tag_template.ts";
import { unsupportedField } from "../failures.ts";
import { asksYes, MOST_LOG_FILES, olderLogs } from "./choose_log.ts";
import { invalid } from "../../errors.ts";

type Logging = Pick<ContainerSpec, "logDriver" | "logOptions" | "logSizeMax" | "logPath">;

const FILES = /^[1-9]\d{0,3}$/;
/** A log never makes its container wait, so that any of these may be asked for. */
const MODES = new Set(["blocking", "non-blocking"]);
/** Options of files that name attributes of their lines, and how each is read. */
const ATTRIBUTES: Record<string, ((text: string) => unknown) | undefined> = {
  tag: parseTagTemplate,
  labels: String,
  env: String,
  "labels-regex": compilePattern,
  "env-regex": compilePattern,
};

/** Options that the driver `syslog` has besides its own. */
const SYSLOG_ATTRIBUTES: typeof ATTRIBUTES = {
  ...ATTRIBUTES,
  mode: readMode,
  "max-buffer-size": readSize,
  "cache-disabled": asksYes,
  "cache-max-size": readSize,
  "cache-max-file": readFiles,
  "cache-compress": asksYes,
};

/** Returns a warning where older files are requested of a log that keeps none. */
export function passedOverOptions(spec: Logging): string[] {
  const { "max-file": files = "1" } = spec.logOptions;
  if (Number(files) < 2 || olderLogs(spec) !== undefined || spec.logPath === undefined) return [];
  return [`log option max-file=${files}: a log at a path of its own keeps one file, which begins anew at max-size`];
}

/** Throws `unsupported` for a driver or an option of a log that is not here, and `invalid` for a wrong value. */
export function checkLogOptions(spec: Logging): void {
  const { logDriver, logOptions } = spec;
  if (logDriver !== undefined && !LOG_DRIVERS.includes(logDriver)) {
    if (!OTHER_LOG_DRIVERS.includes(logDriver)) throw invalid(`invalid log driver "${logDriver}"`, "invalid argument");
    const reason = "the supervisor, conmon, writes files and the journal only";
    throw unsupportedField("logDriver", `"${logDriver}": ${reason}`);
  }
  if (logDriver === "syslog") return checkSyslog(spec);
  for (const [key, value] of Object.entries(logOptions)) checkOption(spec, key, value);
  checkCompression(spec);
}

/** The options of `syslog`: its own, those of its lines, and `cache-…`, those of the file that readers have. */
function checkSyslog({ logOptions, logPath }: Logging): void {
  const unknown = (key: string) => invalid(`unknown log opt '${key}' for syslog log driver`);
  if (logPath !== undefined) throw unknown("path");
  for (const [key, value] of Object.entries(logOptions)) {
    if (SYSLOG_OPTIONS.has(key)) continue;
    const read = SYSLOG_ATTRIBUTES[key];
    if (read === undefined) throw unknown(key);
    readOption(key, value, read);
  }
  try {
    parseSyslogOptions(logOptions);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(error.message);
  }
}

function checkOption({ logDriver, logSizeMax = 0 }: Logging, key: string, value: string): void {
  // As the client wrote it.
  if (key === "max-size" && logSizeMax > 0) return;
  if (key === "max-file") {
    if (FILES.test(value) && Number(value) <= MOST_LOG_FILES) return;
    throw invalid(`invalid value for max-file: "${value}", must be 1 to ${MOST_LOG_FILES}`);
  }
  if (key === "compress") return void asksYes(value);
  if (key === "mode" && MODES.has(value)) return;
  if (key === "max-buffer-size" && /^\d+[bkmgt]?$/i.test(value)) return;
  const isFile = logDriver === undefined || DOCKER_FILES.has(logDriver);
  if (key === "tag" && !isFile && logDriver !== "journald") {
    const text = `log tags can only be used with the journald log driver but driver is "${logDriver}"`;
    throw invalid(text, "invalid argument");
  }
  const read = isFile || key === "tag" ? ATTRIBUTES[key] : undefined;
  if (read === undefined) throw unsupportedField("logOptions", `"${key}=${value}"`);
  readOption(key, value, read);
}

function readOption(key: string, value: string, read: (text: string) => unknown): void {
  try {
    read(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(`log option "${key}": ${error.message}`);
  }
}

function readFiles(value: string): void {
  if (FILES.test(value) && Number(value) <= MOST_LOG_FILES) return;
  throw new SyntaxError(`"${value}", must be 1 to ${MOST_LOG_FILES}`);
}

function readMode(value: string): void {
  if (!MODES.has(value)) throw new SyntaxError(`"${value}", must be ${[...MODES].join(" or ")}`);
}

function readSize(value: string): void {
  if (parseByteSize(value) === 0) throw new SyntaxError(`"${value}", must be more than 0`);
}

/** Compression is of older files; where there are none, Docker's words say so. */
function checkCompression(spec: Logging): void {
  const { compress, "max-file": files } = spec.logOptions;
  if (compress === undefined || !asksYes(compress) || spec.logPath !== undefined) return;
  if (olderLogs(spec) !== undefined) return;
  throw invalid(
    spec.logDriver === "local" && files === "1"
      ? "compression cannot be enabled when max file count is 1"
      : "compress cannot be true when max-file is less than 2 or max-size is not set",
  );
}
