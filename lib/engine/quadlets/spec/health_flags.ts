import type { MemberRequest } from "../../containers/request/container_request.ts";
import type { HealthWish, OnFailure } from "../../records/health_plan.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { parseDuration } from "../../text/duration.ts";
import { type FlagTable, readNumber, takeLast } from "./flag_table.ts";

type Draft = { request: MemberRequest };

/** The flags of health checks. */
export const HEALTH_FLAGS: FlagTable<Draft> = {
  "health-cmd": checkFlag((value) => ({ test: readTest(value) })),
  "health-interval": checkFlag((value) => ({ interval: readInterval(value) })),
  "health-retries": checkFlag((value) => ({ retries: readNumber(value) })),
  "health-start-period": checkFlag((value) => ({ startPeriod: parseDuration(value) })),
  "health-timeout": checkFlag((value) => ({ timeout: parseDuration(value) })),
  "health-startup-cmd": startupFlag((value) => ({ test: readTest(value) })),
  "health-startup-interval": startupFlag((value) => ({ interval: readInterval(value) })),
  "health-startup-retries": startupFlag((value) => ({ retries: readNumber(value) })),
  "health-startup-success": startupFlag((value) => ({ successes: readNumber(value) })),
  "health-startup-timeout": startupFlag((value) => ({ timeout: parseDuration(value) })),
  "health-on-failure": takeLast((draft, value) => addWish(draft, () => ({ onFailure: readAction(value) }))),
  "health-log-destination": logFlag((value) => ({ destination: value })),
  "health-max-log-count": logFlag((value) => ({ count: readNumber(value) })),
  "health-max-log-size": logFlag((value) => ({ size: parseByteSize(value) })),
};

function checkFlag(read: (value: string) => NonNullable<HealthWish["check"]>) {
  return takeLast((draft: Draft, value) => addWish(draft, (wish) => ({ check: { ...wish.check, ...read(value) } })));
}

function startupFlag(read: (value: string) => NonNullable<HealthWish["startup"]>) {
  return takeLast((draft: Draft, value) =>
    addWish(draft, (wish) => ({ startup: { ...wish.startup, ...read(value) } }))
  );
}

function logFlag(read: (value: string) => NonNullable<HealthWish["log"]>) {
  return takeLast((draft: Draft, value) => addWish(draft, (wish) => ({ log: { ...wish.log, ...read(value) } })));
}

function addWish({ request }: Draft, more: (wish: HealthWish) => HealthWish): void {
  const { health = {} } = request;
  request.health = { ...health, ...more(health) };
}

/** A command is for a shell, unless it is a list of words in JSON. */
function readTest(value: string): string[] {
  if (value === "none") return ["NONE"];
  if (value.startsWith("[")) {
    const words: unknown = JSON.parse(value);
    if (!Array.isArray(words) || !words.every((word) => typeof word === "string")) {
      throw new SyntaxError(`"${value}" is no list of words`);
    }
    return /^(?:NONE|CMD|CMD-SHELL)$/.test(words[0] ?? "") ? words : ["CMD", ...words];
  }
  return ["CMD-SHELL", value];
}

function readInterval(value: string): number {
  return value === "disable" ? 0 : parseDuration(value);
}

function readAction(value: string): OnFailure {
  if (value === "none" || value === "kill" || value === "restart" || value === "stop") return value;
  throw new SyntaxError(`"${value}" is none of none, kill, restart and stop`);
}
