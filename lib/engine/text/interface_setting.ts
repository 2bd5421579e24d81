/**
 * Kernel settings of one network interface, as Docker's clients write them: the interface has no name yet, and `IFNAME` stands for it.
 *
 * @module
 */

/** A setting of an interface. */
export interface InterfaceSetting {
  /** The words before and behind the interface's name, as `["net", "ipv4", "conf"]` and `"log_martians"`. */
  before: readonly string[];
  name: string;
  value: string;
}

// Docker's CLI writes its options in lower case. The words become a path of /proc/sys: nothing in them may lead elsewhere.
const SETTING = /^net\.(ipv4|ipv6|mpls)\.([a-z0-9_]{1,64})\.(?:IFNAME|ifname)\.([A-Za-z0-9_]{1,64})$/;
/** The most of a value: one line of visible characters. */
const VALUE = /^[!-~](?:[ -~]{0,254}[!-~])?$/;

/**
 * Reads `net.ipv4.conf.IFNAME.log_martians=1`.
 *
 * @throws {SyntaxError} In Docker's words, for a setting of no interface, or of one that is named
 */
export function parseInterfaceSetting(text: string): InterfaceSetting {
  const equals = text.indexOf("=");
  const [, family, kind, name] = SETTING.exec(equals < 0 ? text : text.slice(0, equals)) ?? [];
  if (name === undefined) {
    const advice = "represent 'net.X.Y.ethN.Z=V' as 'net.X.Y.IFNAME.Z=V', 'X' must be 'ipv4', 'ipv6' or 'mpls'";
    throw new SyntaxError(`unrecognised network interface sysctl '${text.slice(0, 256)}'; ${advice}`);
  }
  const value = equals < 0 ? "" : text.slice(equals + 1);
  if (!VALUE.test(value)) {
    throw new SyntaxError(`expected sysctl '${text.slice(0, 256)}' to have format name=value`);
  }
  return { before: ["net", family!, kind!], name, value };
}
