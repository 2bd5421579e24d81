/**
 * The part of a unit that says when it runs: its dependencies, its restarts and its times.
 *
 * @module
 */
import { parseTimeSpan } from "../../text/time_span.ts";
import type { Conversion } from "../convert/conversion.ts";
import type { UnitEntry } from "../unit_file.ts";
import { splitWords } from "../../units/words.ts";
import { expandSpecifiers } from "./specifiers.ts";

/** When a unit is started again by itself, systemd.service(5). */
export type RestartRule = "no" | "always" | "on-success" | "on-failure" | "on-abnormal" | "on-abort" | "on-watchdog";

/** The times and dependencies of a unit. */
export interface UnitPlan {
  /** Units that start with it, and without which it fails. */
  requires: string[];
  /** Units that start with it. */
  wants: string[];
  /** Units without which it fails, and with whose end it ends. */
  bindsTo: string[];
  /** Units with whose stop it stops. */
  partOf: string[];
  /** Units that it starts after, and stops before. */
  after: string[];
  before: string[];
  /** Units that stop when it starts. */
  conflicts: string[];
  /** Targets that start it: `default.target`. */
  wantedBy: string[];
  /** It does one thing and ends. */
  isOneshot: boolean;
  /** It counts as active though nothing of it runs any more. */
  remains: boolean;
  restart: RestartRule;
  /** Milliseconds before a restart. */
  restartDelay: number;
  /** Exit codes beside 0 that are no failure. */
  successCodes: number[];
  /** The most starts within a time in milliseconds; `count` 0: no limit. */
  startLimit: { count: number; interval: number };
  /** Milliseconds; `Infinity`: no limit. */
  startTimeout: number;
  stopTimeout: number;
}

/** Keys that are text for readers, or systemd's way to do what the engine does anyway. */
const NEEDLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  Unit: new Set(["Description", "Documentation", "SourcePath", "RequiresMountsFor", "DefaultDependencies"]),
  Service: new Set(["Environment", "KillMode", "NotifyAccess", "SyslogIdentifier", "Delegate", "WorkingDirectory"]),
  Install: new Set(["DefaultInstance"]),
  Quadlet: new Set(["DefaultDependencies"]),
};
const HONOURED: Readonly<Record<string, ReadonlySet<string>>> = {
  Unit: new Set(
    "Requires Requisite Wants BindsTo PartOf After Before Conflicts StartLimitIntervalSec StartLimitBurst".split(" "),
  ),
  Service: new Set(
    "Type RemainAfterExit Restart RestartSec TimeoutSec TimeoutStartSec TimeoutStopSec SuccessExitStatus".split(" "),
  ),
  Install: new Set(["WantedBy", "RequiredBy"]),
};
const RESTARTS: readonly RestartRule[] = [
  ...["no", "always", "on-success", "on-failure", "on-abnormal", "on-abort", "on-watchdog"] as const,
];
/** systemd's own defaults. */
const DEFAULTS = { restartDelay: 100, timeout: 90_000, count: 5, interval: 10_000 };

/** Reads the plan of a converted quadlet. Throws `QuadletError` for a value that systemd does not know either. */
export function readPlan(conversion: Conversion, specifiers: ReadonlyMap<string, string>): UnitPlan {
  const { service, quadlet } = conversion;
  const fault = (section: string, key: string, error: unknown) =>
    quadlet.fault(section, key, error instanceof Error ? error.message : String(error));
  const read = <T>(section: string, key: string, usual: T, parse: (text: string) => T): T => {
    const text = service.value(section, key);
    if (text === undefined || text === "") return usual;
    try {
      return parse(text);
    } catch (error) {
      throw fault(section, key, error);
    }
  };
  const units = (section: string, ...keys: string[]) => {
    const names = keys.flatMap((key) => service.words(section, key).map((word) => expand(section, key, word)));
    return [...new Set(names)];
  };
  const expand = (section: string, key: string, word: string) => {
    try {
      return expandSpecifiers(word, specifiers);
    } catch (error) {
      throw fault(section, key, error);
    }
  };
  const both = read("Service", "TimeoutSec", DEFAULTS.timeout, parseTimeout);
  const type = service.value("Service", "Type");
  const isOneshot = type === "oneshot";
  return {
    requires: units("Unit", "Requires", "Requisite"),
    wants: units("Unit", "Wants"),
    bindsTo: units("Unit", "BindsTo"),
    partOf: units("Unit", "PartOf"),
    after: units("Unit", "After"),
    before: units("Unit", "Before"),
    conflicts: units("Unit", "Conflicts"),
    wantedBy: units("Install", "WantedBy", "RequiredBy"),
    isOneshot,
    remains: service.flag("Service", "RemainAfterExit") ?? false,
    restart: read("Service", "Restart", "no", readRestart),
    restartDelay: read("Service", "RestartSec", DEFAULTS.restartDelay, parseTimeSpan),
    successCodes: service.words("Service", "SuccessExitStatus").filter((word) => /^\d+$/.test(word)).map(Number),
    startLimit: {
      count: service.number("Unit", "StartLimitBurst") ?? DEFAULTS.count,
      interval: read("Unit", "StartLimitIntervalSec", DEFAULTS.interval, parseTimeSpan),
    },
    // A oneshot takes as long as it takes.
    startTimeout: service.last("Service", "TimeoutSec") === undefined && isOneshot
      ? read("Service", "TimeoutStartSec", Infinity, parseTimeout)
      : read("Service", "TimeoutStartSec", both, parseTimeout),
    stopTimeout: read("Service", "TimeoutStopSec", both, parseTimeout),
  };
}

/** Returns the entries of the shared sections that mean nothing where there is no systemd. */
export function foreignEntries({ quadlet }: Conversion): (UnitEntry & { section: string })[] {
  return [...quadlet.sections].flatMap(([section, entries]) => {
    const needless = NEEDLESS[section];
    if (needless === undefined) return [];
    return entries.filter(({ key }) => !needless.has(key) && !HONOURED[section]?.has(key))
      .map((entry) => ({ ...entry, section }));
  });
}

/** Returns the variables that `[Service]` sets, for the command of the unit. */
export function serviceVariables({ service }: Conversion): Record<string, string> {
  return Object.fromEntries(
    service.values("Service", "Environment").flatMap(splitWords).map((word) => {
      const [name, value = ""] = word.split(/=(.*)/s);
      return [name, value];
    }),
  );
}

function parseTimeout(text: string): number {
  // 0 turns the limit off.
  return parseTimeSpan(text) || Infinity;
}

function readRestart(text: string): RestartRule {
  const rule = RESTARTS.find((one) => one === text);
  if (rule === undefined) throw new SyntaxError(`"${text}" is no rule of restarts`);
  return rule;
}
