/** A page for man(1), made of the texts that the command prints itself. */

/** The help on a command: its name, and what its `--help` prints. */
export interface HelpText {
  readonly name: string;
  readonly text: string;
}

/** Returns the page gantry(1) in the language of groff_man(7). Options are shown as the command shows them. */
export function manPage(version: string, texts: readonly HelpText[]): string {
  const lines = [
    `.TH GANTRY 1 "" "gantry ${version}" "User Commands"`,
    ".SH NAME",
    "gantry \\- container engine with the API of Podman and Docker",
    ".SH SYNOPSIS",
    ...texts.flatMap(({ name }) => [`.B gantry ${escapeText(name)}`, "[options]", ".br"]),
    ".SH DESCRIPTION",
    "gantry serves a container engine over HTTP. Clients of Podman and of Docker work with it unchanged.",
    ...texts.flatMap(({ name, text }) => [
      `.SS gantry ${escapeText(name)}`,
      ".nf",
      ...text.trim().split("\n").map(escapeText),
      ".fi",
    ]),
    ".SH FILES",
    ".TP",
    ".I /run/gantry/gantry.sock",
    "The socket of the system's server; that of a user is below XDG_RUNTIME_DIR.",
    ".TP",
    ".I /var/lib/gantry",
    "Images, volumes and records.",
    ".TP",
    ".I /etc/default/gantry",
    "Variables of gantry.service.",
    ".SH SEE ALSO",
    ".BR podman (1),",
    ".BR docker (1),",
    ".BR containers.conf (5),",
    ".BR containers-registries.conf (5)",
  ];
  return `${lines.join("\n")}\n`;
}

/** Text that no request of roff, and no escape, can be read out of. */
function escapeText(line: string): string {
  const escaped = line.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
