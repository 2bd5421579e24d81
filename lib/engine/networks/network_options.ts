import type { NetworkDriver } from "../records/network_record.ts";
import { parseBoolean } from "../text/list_filters.ts";
import { invalid } from "../errors.ts";

/** Gives an option's value in the form in which it is stored; throws `invalid` for one it cannot have. */
type OptionRule = (value: string) => string;

const MACVLAN_MODES = ["bridge", "private", "vepa", "passthru"];
const IPVLAN_MODES = ["l2", "l3", "l3s"];

const mtu: OptionRule = (value) => wholeNumber("mtu", value, 0, 65535);
const metric: OptionRule = (value) => wholeNumber("metric", value, 0, 2 ** 32 - 1);
const noDefaultRoute: OptionRule = (value) => booleanOption("no default route", value);

/** The options of each driver, by netavark's names. */
const RULES: Record<NetworkDriver, Record<string, OptionRule>> = {
  bridge: {
    mtu,
    metric,
    no_default_route: noDefaultRoute,
    vlan: (value) => wholeNumber("vlan", value, 0, 4094),
    isolate: (value) => value === "strict" ? value : booleanOption("isolate", value || "false"),
    vrf: (value) => {
      if (value === "") throw invalid("invalid vrf name");
      return value;
    },
    mode: (value) => oneOf("bridge", value, ["managed", "unmanaged"]),
  },
  macvlan: {
    mtu,
    metric,
    no_default_route: noDefaultRoute,
    mode: (value) => oneOf("macvlan", value, MACVLAN_MODES),
    bclim: (value) => wholeNumber("bclim", value, -(2 ** 31), 2 ** 31 - 1),
  },
  ipvlan: {
    mtu,
    metric,
    no_default_route: noDefaultRoute,
    mode: (value) => oneOf("ipvlan", value, IPVLAN_MODES),
  },
};

/** Checks a network's options and gives them as they are stored. Throws `invalid`, in Podman's words, for one that the driver lacks. */
export function checkOptions(driver: NetworkDriver, options: Readonly<Record<string, string>>): Record<string, string> {
  const rules = RULES[driver];
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => {
      // Object.hasOwn: the name is a client's.
      if (!Object.hasOwn(rules, name)) throw invalid(`unsupported ${driver} network option ${name}`);
      return [name, rules[name](value)];
    }),
  );
}

/** Whether a bridge may be another network's too: by a VLAN of its own, or because somebody else manages it. */
export function isSharedBridge({ vlan, mode }: Readonly<Record<string, string>>): boolean {
  return vlan !== undefined || mode === "unmanaged";
}

function wholeNumber(name: string, value: string, least: number, most: number): string {
  if (value === "" && least === 0) return "0";
  if (/^[+-]?[0-9]{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most) return String(Number(value));
  throw invalid(`failed to parse "${name}" option: "${value}" is not a number from ${least} to ${most}`);
}

function booleanOption(name: string, value: string): string {
  const parsed = parseBoolean(value);
  if (parsed === undefined) throw invalid(`failed to parse ${name} option: "${value}" is not true or false`);
  return String(parsed);
}

function oneOf(kind: string, value: string, values: readonly string[]): string {
  if (values.includes(value)) return value;
  throw invalid(`unknown ${kind} mode "${value}"`);
}
