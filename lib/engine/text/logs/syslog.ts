/**
 * Messages of syslog(3), as Docker's log driver of that name writes them: its options, the destination they name, and the forms of
 * a line. RFC 3164, RFC 5424 and RFC 5425 say what is in them.
 *
 * @module
 */

/** How messages travel; `local` is the host's own syslog, wherever its socket is. */
export type SyslogTransport = "udp" | "tcp" | "tcp+tls" | "unix" | "unixgram" | "local";

/** A destination of messages, and their form. */
export interface SyslogTarget {
  readonly transport: SyslogTransport;
  /** The host's name or address, without brackets, and its port; empty and 0 for a socket with a path. */
  readonly host: string;
  readonly port: number;
  /** The socket's path; empty for a host. */
  readonly path: string;
  /** From 0, `kern`, to 23, `local7`. */
  readonly facility: number;
  readonly format: SyslogFormat;
  readonly tls: SyslogFiles;
}

/** `unix` is the form of a local syslog, without the host's name. */
export type SyslogFormat = "unix" | "rfc3164" | "rfc5424" | "rfc5424micro";

/** The paths of files for TLS, and whether the receiver's certificate may be anyone's. */
export interface SyslogFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly skipVerify: boolean;
}

/** The sender as messages name it. */
export interface SyslogIdentity {
  readonly hostname: string;
  readonly tag: string;
  readonly pid: number;
}

/** A line of a container's log. */
export interface SyslogLine {
  /** When it was written, RFC 3339. */
  readonly time: string;
  readonly isError: boolean;
  readonly text: Uint8Array;
}

/** Options that are the driver's own; tag, labels and variables are those of every driver. */
export const SYSLOG_OPTIONS: ReadonlySet<string> = new Set([
  ..."syslog-address syslog-facility syslog-format syslog-tls-ca-cert syslog-tls-cert syslog-tls-key".split(" "),
  "syslog-tls-skip-verify",
]);

const FACILITIES = [
  ..."kern user mail daemon auth syslog lpr news uucp cron authpriv ftp".split(" "),
  ...Array<string>(4).fill(""),
  ...Array.from({ length: 8 }, (_, number) => `local${number}`),
];
const DAEMON = FACILITIES.indexOf("daemon");
const MOST_FACILITIES = 24;
/** Severities: standard error, and standard output. */
const ERROR = 3;
const INFO = 6;

const FORMATS: Record<string, SyslogFormat | undefined> = {
  "": "unix",
  rfc3164: "rfc3164",
  rfc5424: "rfc5424",
  rfc5424micro: "rfc5424micro",
};

/** The registered port, for all transports. */
const PORT = 514;
const AUTHORITY = /^(?:[^@]*@)?(?:\[([0-9A-Fa-f:.%]+)\]|([^:[\]\s]*))(?::(\d{0,5}))?$/;

/** Reads the driver's options. Throws `SyntaxError`, in Docker's words where it has some. */
export function parseSyslogOptions(options: Readonly<Record<string, string | undefined>>): SyslogTarget {
  const { "syslog-facility": facility = "", "syslog-format": format = "" } = options;
  const form = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (form === undefined) throw new SyntaxError(`Invalid syslog format: "${format}"`);
  return {
    ...parseAddress(options["syslog-address"] ?? ""),
    facility: parseFacility(facility),
    format: form,
    tls: {
      ca: options["syslog-tls-ca-cert"],
      cert: options["syslog-tls-cert"],
      key: options["syslog-tls-key"],
      // As with Docker, the option is what counts, whatever its value.
      skipVerify: options["syslog-tls-skip-verify"] !== undefined,
    },
  };
}

function parseAddress(address: string): Pick<SyslogTarget, "transport" | "host" | "port" | "path"> {
  if (address === "") return { transport: "local", host: "", port: 0, path: "" };
  const [, transport = "", rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(address) ?? [];
  if (transport === "unix" || transport === "unixgram") {
    if (!rest.startsWith("/") || rest.includes("\0")) throw new SyntaxError(`"${address}" has no absolute path`);
    return { transport, host: "", port: 0, path: rest };
  }
  if (transport !== "udp" && transport !== "tcp" && transport !== "tcp+tls") {
    throw new SyntaxError(`unsupported scheme: '${transport}'`);
  }
  const found = AUTHORITY.exec(rest.split(/[/?#]/, 1)[0]!);
  const port = Number(found?.[3] || PORT);
  if (found === null || port === 0 || port > 65_535) {
    throw new SyntaxError(`"${address}" is not "${transport}://HOST:PORT"`);
  }
  return { transport, host: found[1] ?? (found[2] || "localhost"), port, path: "" };
}

function parseFacility(text: string): number {
  if (text === "") return DAEMON;
  const named = FACILITIES.indexOf(text);
  if (named >= 0) return named;
  if (/^\d{1,2}$/.test(text) && Number(text) < MOST_FACILITIES) return Number(text);
  throw new SyntaxError(`invalid syslog facility: "${text}"`);
}

/** Returns the bytes of a message, with what marks its end. */
export function syslogMessage(
  { transport, facility, format }: SyslogTarget,
  { hostname, tag, pid }: SyslogIdentity,
  { time, isError, text }: SyslogLine,
): Uint8Array {
  const priority = `<${facility * 8 + (isError ? ERROR : INFO)}>`;
  const heads: Record<SyslogFormat, () => string> = {
    unix: () => `${priority}${stampOf(time)} ${tag}[${pid}]: `,
    rfc3164: () => `${priority}${stampOf(time)} ${hostname} ${tag}[${pid}]: `,
    rfc5424: () => `${priority}1 ${momentOf(time, 0)} ${hostname} ${tag} ${pid} ${tag} - `,
    rfc5424micro: () => `${priority}1 ${momentOf(time, 6)} ${hostname} ${tag} ${pid} ${tag} - `,
  };
  const isCounted = transport === "tcp+tls" && format.startsWith("rfc5424");
  const head = new TextEncoder().encode(heads[format]());
  const end = text.at(-1) === 10 ? 0 : 1;
  const length = head.length + text.length + end;
  const count = isCounted ? new TextEncoder().encode(`${length} `) : new Uint8Array(0);
  const message = new Uint8Array(count.length + length);
  message.set(count);
  message.set(head, count.length);
  message.set(text, count.length + head.length);
  if (end > 0) message[message.length - 1] = 10;
  return message;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `Nov  1 09:05:00`, in the zone of the moment. */
function stampOf(time: string): string {
  const month = MONTHS[Number(time.slice(5, 7)) - 1] ?? MONTHS[0];
  return `${month} ${String(Number(time.slice(8, 10))).padStart(2)} ${time.slice(11, 19)}`;
}

/** RFC 3339 with a number of digits of the second's fraction. */
function momentOf(time: string, digits: number): string {
  const [, moment = time, fraction = "", zone = "Z"] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(time) ?? [];
  const more = digits === 0 ? "" : `.${fraction.padEnd(digits, "0").slice(0, digits)}`;
  return `${moment}${more}${zone === "+00:00" ? "Z" : zone}`;
}
