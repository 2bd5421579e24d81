import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { EngineHandlerOptions } from "../../../../handlers/engine_handler.ts";
import { engineElsewhere } from "../../../../handlers/engine_elsewhere.ts";
import type { Engine } from "../../../engine/engine.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { Log } from "../../../engine/ports/log.ts";
import { startInside } from "../../linux/rootless/user_namespace.ts";
import { connectAddress } from "../connect_address.ts";
import { gatewayHandler } from "../gateway/gateway_handler.ts";
import { libraryProgram } from "../service/serve_program.ts";
import type { HostEngineOptions } from "../start/engine_here.ts";
import { ENGINE_COMMAND, type EngineSettings, type EngineWord, SOCKET_OPTION } from "./engine_process.ts";
import { startStep } from "../start/start_failure.ts";
import { endNamespace, prepareNamespace } from "./run_as_user.ts";

const TASK = "Open the engine as this user";
/** The way to an engine that has all of its members. */
const INSIDE = 'start the program with "gantry unshare"';
/** Characters of what a process says before it fails that its error repeats. */
const MOST_SAID = 2000;

/**
 * Opens the engine in a process of its own, in the user namespace of its runroot: a process with threads, as this one is, enters none.
 * Undefined where this user can have no such namespace.
 *
 * The process listens on a socket in a folder that nobody else may enter. It ends when its standard input does, which is with this process.
 *
 * @throws {EngineError} `unsupported` for options that no other process can have, and where the program `gantry` is missing; and what
 * opening throws
 */
export async function openEngineAsUser(options: HostEngineOptions): Promise<Engine | undefined> {
  const log: Log = options.log ?? (() => {});
  const { root, runroot } = { root: resolve(options.root), runroot: resolve(options.runroot) };
  const settings = { ...settingsOf(options), root, runroot };
  const program = await libraryProgram();
  if (program === undefined) {
    const advice = `keep gantry.mjs beside the file that has this library, or ${INSIDE}`;
    throw new EngineError("unsupported", `${TASK}: its process runs the program gantry, which is not here; ${advice}`);
  }
  if (!await prepareNamespace({ root, runroot }, log)) return undefined;
  let folder: string | undefined;
  const end = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    await endNamespace(runroot, log);
  };
  let socket: string;
  let child: ChildProcess;
  try {
    const prefix = join(tmpdir(), "gantry-engine-");
    const step = { text: `Make a folder for the engine's socket in "${tmpdir()}"`, option: SOCKET_OPTION };
    folder = await startStep(step, () => mkdtemp(prefix));
    socket = join(folder, "gantry.sock");
    child = startInside(runroot, [...program, ENGINE_COMMAND], { env: process.env, stdio: ["pipe", "pipe", "pipe"] });
    await openedEngine(child, { ...settings, socket }, log);
  } catch (error) {
    await end();
    throw error;
  }
  const connection = connectAddress(`unix://${socket}`);
  let closed: Promise<void> | undefined;
  let isClosing = false;
  const exited = once(child, "exit").then(([code, signal]) => {
    if (!isClosing) log("error", `The engine's process has ended: ${signal ?? `exit code ${code}`}`);
  });
  const close = async () => {
    isClosing = true;
    await connection.close();
    child.stdin?.end();
    await exited;
    await end();
  };
  return engineElsewhere({
    makeHandler: (options) => passHandler(options, { connection, address: `its process ${child.pid}` }),
    close: () => closed ??= close(),
    refuse(member) {
      const why = "this user is not root, so that the engine runs in a process of its own";
      const advice = `call it through open(engine) or engineHandler(engine), or ${INSIDE}`;
      return new EngineError("unsupported", `Use "${member}" of the engine: ${why}; ${advice}`);
    },
  });
}

/** The options as another process reads them. */
function settingsOf({ log: _log, ...options }: HostEngineOptions): Omit<EngineSettings, "socket"> {
  const advice: Record<string, string> = { tls: "certsDir", credentials: "authFile" };
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== "function") continue;
    const other = advice[name] === undefined ? "" : `name files with "${advice[name]}", or `;
    const why = "no function reaches the engine's process";
    throw new EngineError("unsupported", `${TASK}: option "${name}": ${why}; ${other}${INSIDE}`);
  }
  const path = (value: string | undefined) => value === undefined ? undefined : resolve(value);
  const { runtime } = options;
  return {
    ...options,
    ...runtime?.includes("/") && { runtime: resolve(runtime) },
    hookFolders: options.hookFolders?.map((folder) => resolve(folder)),
    deviceFolders: options.deviceFolders?.map((folder) => resolve(folder)),
    quadletFolder: path(options.quadletFolder),
    registriesConf: path(options.registriesConf),
    containersConf: path(options.containersConf),
    authFile: path(options.authFile),
    certsDir: path(options.certsDir),
  };
}

/** Resolves when the process's engine is open. Lines of its log go to this one's, for as long as it runs. */
function openedEngine(child: ChildProcess, settings: EngineSettings, log: Log): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    let isOpen = false;
    // A process that fails before it reads says so by its end.
    child.stdin?.on("error", () => {}).write(`${JSON.stringify(settings)}\n`);
    eachLine(child.stderr, (line) => {
      if (isOpen) log("error", `The engine's process: ${line}`);
      else said = `${said}${line}\n`.slice(-MOST_SAID);
    });
    eachLine(child.stdout, (line) => {
      const word = readWord(line);
      if (word === undefined) said = `${said}${line}\n`.slice(-MOST_SAID);
      else if ("log" in word) log(...word.log);
      else if ("failed" in word) reject(new EngineError(word.failed.code, word.failed.message));
      else {
        isOpen = true;
        resolve();
      }
    });
    child.on("error", (cause) => reject(new EngineError("internal", `${TASK}: start its process`, { cause })));
    // All that it said has come by then.
    child.on("close", (code, signal) => {
      const why = said.trim().replaceAll("\n", "; ") || (signal ?? `exit code ${code}`);
      reject(new EngineError("internal", `${TASK}: its process has ended: ${why}`));
    });
  });
}

function eachLine(stream: ChildProcess["stdout"], tell: (line: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") tell(line);
  });
}

/** Reads a line of the process; undefined for one that is none of its words, as a runtime prints one. */
function readWord(line: string): EngineWord | undefined {
  try {
    const word: unknown = JSON.parse(line);
    return typeof word === "object" && word !== null ? word as EngineWord : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The handler of the engine's process, called from here: it streams both ways, and gives connections away. Requests are known by their
 * methods and paths alone, so that nobody can be asked whether a caller may do that.
 */
function passHandler(
  options: EngineHandlerOptions,
  to: Pick<Parameters<typeof gatewayHandler>[0], "connection" | "address">,
) {
  // Of a failure in its process the engine's log tells.
  const { auth = null, onRequest, onError: _onError, ...others } = options;
  const [other] = Object.entries(others).find(([, value]) => value !== undefined && value !== false) ?? [];
  if (auth?.authorize !== undefined) {
    const why = "the operations of an engine in a process of its own are not told apart here";
    const advice = "refuse callers in authenticate(), by the request";
    throw new EngineError(
      "unsupported",
      `Serve the engine: authorize() of option "auth": ${why}; ${advice}, or ${INSIDE}`,
    );
  }
  if (other !== undefined) {
    const why = "an engine in a process of its own serves without it";
    throw new EngineError("unsupported", `Serve the engine: option "${other}": ${why}; ${INSIDE}`);
  }
  return gatewayHandler({ ...to, auth, onRequest });
}
