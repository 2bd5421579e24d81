import type { Healthcheck } from "../../../oci/image_config.ts";
import { EngineError } from "../../errors.ts";
import { parseDuration } from "../../text/duration.ts";
import type { InstructionFlags } from "./instruction_flags.ts";
import { parseTextList } from "../../../oci/json.ts";

/** Reads `HEALTHCHECK NONE` or `HEALTHCHECK [flags] CMD command`. Throws `EngineError("invalid")`. */
export function parseHealthcheck(text: string, flags: InstructionFlags): Healthcheck {
  const [, kind = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  if (kind === "") throw invalidCheck("HEALTHCHECK requires at least one argument");
  if (kind.toUpperCase() === "NONE") {
    if (rest !== "") throw invalidCheck("HEALTHCHECK NONE takes no arguments");
    return { Test: ["NONE"] };
  }
  if (kind.toUpperCase() !== "CMD") throw invalidCheck(`Unknown type "${kind}" in HEALTHCHECK (try CMD)`);
  if (rest === "") throw invalidCheck("Missing command after HEALTHCHECK CMD");
  const words = parseTextList(rest);
  const retries = flags.text("retries");
  if (retries !== undefined && !/^[0-9]{1,9}$/.test(retries)) {
    throw invalidCheck(`--retries cannot be "${retries}": it is a number of 0 or more`);
  }
  return {
    Test: words ? ["CMD", ...words] : ["CMD-SHELL", rest],
    ...durationOf(flags, "interval", "Interval"),
    ...durationOf(flags, "timeout", "Timeout"),
    ...durationOf(flags, "start-period", "StartPeriod"),
    ...durationOf(flags, "start-interval", "StartInterval"),
    ...retries !== undefined && { Retries: Number(retries) },
  };
}

function durationOf(flags: InstructionFlags, flag: string, key: keyof Healthcheck): Healthcheck {
  const text = flags.text(flag);
  if (text === undefined) return {};
  const nanoseconds = Math.round(parseDuration(text) * 1e6);
  if (nanoseconds !== 0 && nanoseconds < 1e6) {
    throw invalidCheck(`Interval "${flag}" cannot be less than 1ms`);
  }
  return { [key]: nanoseconds };
}

function invalidCheck(why: string): EngineError {
  return new EngineError("invalid", why);
}
