/**
 * The OCI process object of an exec session.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import type { TerminalSize } from "../../../../engine/records/spec_parts.ts";
import { EngineError } from "../../../../engine/errors.ts";
import type { ExecProcess } from "../../../../engine/ports/exec_port.ts";
import { specText, withHome } from "../../bundle/runtime_spec.ts";
import type { RuntimeSpec, SpecCapabilities } from "../../bundle/spec_types.ts";
import { type ResolvedUser, resolveUser } from "../../bundle/user_lookup.ts";

type SpecProcess = RuntimeSpec["process"];

/** The sources of a process object. */
export interface ProcessSources {
  record: ContainerRecord;
  /** The container's `config.json`. */
  config: string;
  /** Every capability this host can give. */
  capabilities: ReadonlySet<string>;
  /** The terminal's size. */
  size?: TerminalSize;
}

/** Writes the process object of a session: the container's own process, with what was asked for. */
export async function writeProcess(path: string, wish: ExecProcess, sources: ProcessSources): Promise<void> {
  const { process: own, root } = await readSpec(sources.config);
  const { record, size } = sources;
  const name = wish.user ?? record.process.user;
  const user = await resolveUser(root.path, name, record.spec.groups);
  const process: SpecProcess = {
    ...own,
    terminal: wish.terminal,
    // runc sets it before it runs the program, crun while that is on its way, and the supervisor when it has got the terminal.
    consoleSize: wish.terminal ? size : undefined,
    args: wish.args,
    env: withHome(mergeLists(record.process.env, secretVariables(record, own.env), wish.env), user.home),
    cwd: wish.workdir ?? own.cwd,
    user: { ...own.user, uid: user.uid, gid: user.gid, additionalGids: user.additionalGids },
    capabilities: processCapabilities(own.capabilities, wish, user, name === record.process.user, sources.capabilities),
  };
  await writeFile(path, specText(process), { mode: 0o600 });
}

async function readSpec(path: string): Promise<RuntimeSpec> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw new EngineError("state", "Exec: the container has no bundle: container state improper", {
      cause: error,
      sentinel: "container state improper",
    });
  });
  // Written by the bundler. Limits may be larger than a plain number can be.
  return JSON.parse(text, exactLimits) as RuntimeSpec;
}

function exactLimits(key: string, value: unknown, context?: { source?: string }): unknown {
  return (key === "soft" || key === "hard") && context?.source !== undefined ? BigInt(context.source) : value;
}

/** The variables of a container that are secrets: they are nowhere but in its bundle. */
function secretVariables({ spec: { secretEnv = {} } }: ContainerRecord, env: readonly string[]): string[] {
  return env.filter((entry) => Object.hasOwn(secretEnv, entry.split("=", 1)[0]));
}

/** Later entries take the place of earlier ones of the same name. */
function mergeLists(...lists: readonly string[][]): string[] {
  const byName = new Map(lists.flat().map((entry) => [entry.split("=", 1)[0], entry]));
  return [...byName.values()];
}

/** Root has all it may have; the container's own user what its process has; any other user nothing. */
function processCapabilities(
  own: SpecCapabilities,
  { privileged }: ExecProcess,
  { uid }: ResolvedUser,
  isOwnUser: boolean,
  all: ReadonlySet<string>,
): SpecCapabilities {
  const bounding = privileged ? [...all] : own.bounding;
  if (uid === 0) return { bounding, effective: bounding, permitted: bounding, inheritable: [], ambient: [] };
  const held = isOwnUser ? own.effective : [];
  return { bounding, effective: held, permitted: held, inheritable: held, ambient: held };
}
