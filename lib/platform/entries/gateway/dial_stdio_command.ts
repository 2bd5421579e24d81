/**
 * `gantry dial-stdio`: an engine's socket on standard input and output, for clients that come through SSH.
 *
 * @module
 */
import { connect } from "node:net";
import process from "node:process";
import { parseArgs } from "node:util";
import { messageOf } from "../../../oci/message_of.ts";
import { parseAddress } from "../../http/address.ts";
import { parseServeOptions } from "../serve_options.ts";
import { startFailure } from "../start/start_failure.ts";

/** The help on `gantry dial-stdio`. */
export const DIAL_USAGE = `
Usage: gantry [--host ADDRESS] [system] dial-stdio

Joins standard input and output to an engine's socket; by default that of this user's gantry serve. Docker's contexts "ssh://…" run
"docker system dial-stdio" on the other machine: a file docker there that runs gantry "$@" is enough for them.
`;

/** Whether a command line is for {@linkcode dialCommand}, as Docker's clients word it or in short. */
export function isDial(args: readonly string[]): boolean {
  return args.at(-1) === "dial-stdio" || args[0] === "dial-stdio";
}

/** Joins the streams until the engine closes the connection, and resolves with the exit code. */
export async function dialCommand(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { host: { type: "string", short: "H" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(DIAL_USAGE.trim());
      return 0;
    }
    if (!/^(system )?dial-stdio$/.test(positionals.join(" "))) {
      throw new SyntaxError(`Read options: "${args.join(" ")}" is not "[--host ADDRESS] [system] dial-stdio"`);
    }
    await joinStreams(values.host ?? parseServeOptions([], process.env).listen[0]!);
    return 0;
  } catch (error) {
    const isWrong = error instanceof SyntaxError || error instanceof TypeError;
    console.error(`gantry: ${messageOf(error)}${isWrong ? "; see --help" : ""}`);
    return isWrong ? 2 : 1;
  }
}

/** Each side may end for itself: a client that has sent all still gets its answer. */
function joinStreams(address: string): Promise<void> {
  const parsed = parseAddress(address);
  const place = parsed.kind === "unix" ? { path: parsed.path } : { host: parsed.host, port: parsed.port };
  const socket = connect({ ...place, allowHalfOpen: true });
  const { stdin, stdout } = process;
  return new Promise((resolve, reject) => {
    const step = { text: `Connect to "${address}"`, option: "--host" };
    socket.on("error", (error) => reject(startFailure(step, error)));
    // A client that has gone reads nothing more.
    stdout.on("error", () => socket.destroy());
    socket.on("end", () => stdout.write("", () => resolve()));
    socket.on("close", () => resolve());
    socket.pipe(stdout, { end: false });
    stdin.pipe(socket);
  });
}
