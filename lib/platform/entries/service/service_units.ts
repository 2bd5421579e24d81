/**
 * The units under which systemd runs the server: a socket that is there from the boot on, and the service that it starts.
 *
 * @module
 */
import { joinWords } from "../../../engine/units/words.ts";
import { SERVER_GROUP } from "../../linux/resources/delegated_group.ts";

/** The server that the units start. */
export interface ServiceUnits {
  /** The program and its arguments, up to those of `serve`. */
  command: readonly string[];
  /** Further arguments of `serve`. */
  args: readonly string[];
  /** The path of the Unix socket; `%t` at its beginning is the manager's folder for files of its run. */
  socket: string;
  /** A file with variables of `serve`, which may be absent. */
  environmentFile?: string;
  /** The home folder, where Deno keeps what it has fetched; a service of the system has none by itself. */
  home?: string;
  /** Units of a user's own manager, in place of the system's. */
  isUser?: boolean;
}

/** Names of the units. */
export const SERVICE = "gantry.service";
export const SOCKET = "gantry.socket";

/**
 * Returns the texts of the units, by name.
 *
 * - systemd has the socket: who connects before the server is up waits, and a restart of the server refuses nobody.
 * - `Delegate=` and `KillMode=process`: cgroups and supervisors of containers are the server's, and outlast it.
 * - The server says when it is ready, and at the end of the machine it stops all containers at once, each within its own time.
 *
 * Source: systemd.unit(5), systemd.service(5), systemd.socket(5), systemd.kill(5).
 */
export function serviceUnits(
  { command, args, socket, home, environmentFile, isUser = false }: ServiceUnits,
): Map<string, string> {
  const target = isUser ? "default.target" : "multi-user.target";
  const order = isUser ? [] : ["After=network-online.target", "Wants=network-online.target"];
  const service = [
    "[Unit]",
    "Description=Gantry, a container engine",
    `Requires=${SOCKET}`,
    `After=${SOCKET}`,
    ...order,
    "",
    "[Service]",
    "Type=notify",
    // The message that it is ready comes from a program that the server starts.
    "NotifyAccess=all",
    ...home === undefined ? [] : [`Environment=${plainText(joinWords([`HOME=${home}`]))}`],
    ...environmentFile === undefined ? [] : [`EnvironmentFile=-${environmentFile}`],
    `ExecStart=${plainText(joinWords([...command, "--no-setup", "--listen", "fd://", ...args]))}`,
    "Delegate=yes",
    // An ordinary user's containers have their groups below the service's, which may hold no process then. Since systemd 254.
    ...isUser ? [`DelegateSubgroup=${SERVER_GROUP}`] : [],
    "KillMode=process",
    "Restart=on-failure",
    "TimeoutStartSec=300",
    "TimeoutStopSec=300",
    "LimitNOFILE=1048576",
    "TasksMax=infinity",
    "",
    "[Install]",
    `WantedBy=${target}`,
    `Also=${SOCKET}`,
  ];
  const door = [
    "[Unit]",
    "Description=The socket of Gantry, a container engine",
    "",
    "[Socket]",
    `ListenStream=${socket.startsWith("%t/") ? "%t" : ""}${socket.replace(/^%t(?=\/)/, "").replaceAll("%", "%%")}`,
    "SocketMode=0600",
    "DirectoryMode=0711",
    "",
    "[Install]",
    "WantedBy=sockets.target",
  ];
  return new Map([[SERVICE, `${service.join("\n")}\n`], [SOCKET, `${door.join("\n")}\n`]]);
}

/** No specifier, and no variable, of systemd's. */
function plainText(text: string): string {
  return text.replaceAll("%", "%%").replaceAll("$", "$$$$");
}
