import type { ContainerSpec } from "../../records/container_record.ts";
import { DOCKER_FILES, LOG_DRIVERS, OTHER_LOG_DRIVERS } from "../../text/log_drivers.ts";
import { invalid, unsupportedField } from "../failures.ts";

/** Options of a log, and the values that ask for what it does anyway. */
const NO_LOG_OPTION: Record<string, string | undefined> = { compress: "false", mode: "blocking" };
/** Options of Docker's files that change what is kept beside the lines, or how old files are kept. */
const PASSED_OVER = new Set(["tag", "labels", "labels-regex", "env", "env-regex", "compress"]);

/** Returns a warning for each option of a log in a file that makes no difference here; files of compose set them as a matter of course. */
export function passedOverOptions(
  { logDriver, logOptions }: Pick<ContainerSpec, "logDriver" | "logOptions">,
): string[] {
  if (!DOCKER_FILES.has(logDriver ?? "")) return [];
  const found = Object.entries(logOptions).filter(([key, value]) =>
    PASSED_OVER.has(key) && NO_LOG_OPTION[key] !== value
  );
  return found.map(([key, value]) => `log option ${key}=${value}: the log is one plain file without it`);
}

/** Throws `unsupported` for a driver or an option of a log that is not here. */
export function checkLogOptions({ logDriver, logOptions }: Pick<ContainerSpec, "logDriver" | "logOptions">): void {
  if (logDriver !== undefined && !LOG_DRIVERS.includes(logDriver)) {
    if (!OTHER_LOG_DRIVERS.includes(logDriver)) throw invalid(`invalid log driver "${logDriver}"`, "invalid argument");
    throw unsupportedField("logDriver", `"${logDriver}"`);
  }
  const option = Object.entries(logOptions).find(([key, value]) => {
    // Only a journal has tags, and here they are texts, not templates.
    const isTag = key === "tag" && logDriver === "journald" && !value.includes("{{");
    // More than one is answered with a warning.
    const isFiles = key === "max-file" && /^[1-9]\d{0,8}$/.test(value);
    const isPassed = DOCKER_FILES.has(logDriver ?? "") && PASSED_OVER.has(key);
    return !isTag && !isFiles && !isPassed && NO_LOG_OPTION[key] !== value;
  });
  if (option !== undefined) throw unsupportedField("logOptions", `"${option.join("=")}"`);
}
