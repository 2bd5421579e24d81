/**
 * The command line of `gateway`.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { Log } from "../../../engine/ports/log.ts";
import { outerUser } from "../../linux/rootless/outer_user.ts";
import { type AddressOptions, checkEngineAddress } from "../connect_address.ts";
import { usualAddress } from "../serve_options.ts";
import { DOOR_SHAPES, type DoorOptions, readDoorOptions } from "../start/door_options.ts";
import { DOOR_USAGE } from "../start/usage.ts";
import { usualFolders } from "../start/homes.ts";
import { readToken } from "../start/open_doors.ts";
import { OptionReader } from "../start/option_reader.ts";
import { startStep } from "../start/start_failure.ts";
import { withoutAbsent } from "../../../oci/json.ts";

/** The work of `gateway`. */
export interface GatewayOptions extends DoorOptions {
  /** The engine's address. */
  to: string;
  /** Files with what the engine asks for. */
  toTokenFile?: string;
  toTLS: { ca?: string; cert?: string; key?: string };
  help: boolean;
}

/** The help of `gantry gateway --help`. */
export const GATEWAY_USAGE = `Usage: gantry gateway --listen ADDRESS [options]

A door over TCP, with TLS, to an engine: Gantry, Podman or Docker, on this machine or another. Requests pass as they are, streams and
connections that attach and exec take over as well.

  --to ADDRESS            The engine: unix:///PATH, tcp://HOST:PORT, http://HOST:PORT or https://HOST:PORT.
                          Default: the socket of this user's gantry serve
  --to-token-file FILE    The bearer token that the engine asks for. With --token-file no caller's token reaches the engine
  --to-tls-ca FILE        Certificates of the engine's authorities (PEM), for https
  --to-tls-cert FILE      The gateway's own certificate at the engine (PEM)
  --to-tls-key FILE       The key of that certificate (PEM)
  --listen ADDRESS        tcp://HOST:PORT or unix:///PATH; may be repeated. fd://: the sockets that systemd passes on
${DOOR_USAGE}
  --help                  Print this text

Each option can be given as a variable as well, as for gantry serve: GANTRY_TO, GANTRY_TO_TOKEN_FILE and so on.
`;

const SHAPES = {
  ...DOOR_SHAPES,
  to: { type: "string" },
  "to-token-file": { type: "string" },
  "to-tls-ca": { type: "string" },
  "to-tls-cert": { type: "string" },
  "to-tls-key": { type: "string" },
} as const;

/**
 * Reads the arguments, then the variables.
 *
 * @throws {SyntaxError} if an option is unknown, lacks its value or has one that cannot be, or there is no `--listen`
 */
export function parseGatewayOptions(
  args: readonly string[],
  env: Record<string, string | undefined>,
  uid: number = outerUser(),
): GatewayOptions {
  const read = new OptionReader(SHAPES, args, env);
  const doors = readDoorOptions(read, env);
  const help = read.isSet("help");
  if (doors.listen.length === 0 && !help) {
    throw new SyntaxError('Read options: "--listen" is missing: say where, as in --listen tcp://127.0.0.1:2375');
  }
  const to = read.value("to") ?? usualAddress(usualFolders(env, uid, {}).runroot);
  checkEngineAddress(to);
  const toTLS = withoutAbsent({
    ca: read.path("to-tls-ca"),
    cert: read.path("to-tls-cert"),
    key: read.path("to-tls-key"),
  });
  if ((toTLS.cert === undefined) !== (toTLS.key === undefined)) {
    const missing = toTLS.cert === undefined ? "--to-tls-cert" : "--to-tls-key";
    throw new SyntaxError(`Read options: "${missing}" is missing: a certificate goes with its key`);
  }
  if (Object.keys(toTLS).length > 0 && !to.startsWith("https:")) {
    throw new SyntaxError(`Read options: "--to-tls-…" is for an engine at https://HOST:PORT, not at ${to}`);
  }
  return { ...doors, to, toTLS, ...withoutAbsent({ toTokenFile: read.path("to-token-file") }), help };
}

/** Reads what the engine asks for. Throws one line that names the file, or the option for another one. */
export async function readEngineKeys({ toTokenFile, toTLS }: GatewayOptions, log: Log): Promise<AddressOptions> {
  const tls: Record<string, string> = {};
  for (const [name, file] of Object.entries(toTLS)) {
    const step = { text: `Read TLS file "${file}"`, option: `--to-tls-${name}` };
    tls[name] = await startStep(step, () => readFile(file, "utf8"));
  }
  const token = toTokenFile === undefined ? undefined : await readToken(toTokenFile, "--to-token-file", log);
  return { tls, ...token !== undefined && { token } };
}
