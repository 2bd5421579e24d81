/** Checks of unpacked layers: whether each can be mounted, and whether its files are those of its archive. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { UnpackedLayer } from "../../../engine/ports/host_port.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { readLayerFacts } from "./layer_facts.ts";

/** The differences that are told of one layer; more of them say nothing new. */
const MOST_DIFFERENCES = 10;
/** A member in a listing: its kind, its mode, owner, size or device, date and time, and its name. */
const MEMBER = /^([-dlhcbp])[-rwxsStT]{9} \S+ +\S+ \d{4}-\d{2}-\d{2} \d{2}:\d{2} (.*)$/;
/** GNU tar's exit code for "some files differ". */
const DIFFERENT = 1;

/** Looks whether a layer's folder has all that a mount needs; `undefined` where there is no folder. */
export async function inspectLayer(layer: string): Promise<UnpackedLayer | undefined> {
  const folder = await stat(layer).catch(() => undefined);
  if (folder === undefined) return undefined;
  return { since: folder.mtimeMs, damage: await findDamage(layer) };
}

async function findDamage(layer: string): Promise<string | undefined> {
  const diff = await stat(join(layer, "diff")).catch(() => undefined);
  if (!diff?.isDirectory()) return "its folder is missing";
  try {
    return await readLayerFacts(layer) === undefined ? "the note on its root is missing" : undefined;
  } catch (error) {
    return `the note on its root cannot be read: ${messageOf(error)}`;
  }
}

/**
 * Compares a layer's files with the archive that it was unpacked from: types, contents, owners, modes, times, links and devices,
 * by GNU tar. Files that the archive does not have are found by their number.
 */
export async function compareLayer(layer: string, tar: ReadableStream<Uint8Array>): Promise<string[]> {
  const diff = join(layer, "diff");
  const listing = new Listing();
  try {
    const { stderr } = await runCommand("tar", [
      ...["--compare", "--verbose", "--verbose", "--quoting-style=escape", "--file=-", "--numeric-owner"],
      ...[`--directory=${diff}`, "--warning=no-timestamp", "--warning=no-unknown-keyword"],
    ], { stdin: tar, timeout: Infinity, accept: [0, DIFFERENT], output: (text) => listing.take(text) });
    const lost = stderr.split("\n").filter((line) => line !== "").slice(0, MOST_DIFFERENCES);
    const found = [...listing.differences(), ...lost];
    if (found.length > 0) return found;
    const present = await countFiles(diff);
    return present === listing.files ? [] : [`${present} files, and ${listing.files} in its archive`];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new EngineError("internal", `Compare layer: ${error.message}`, { cause: error });
  }
}

/** The members of an archive, as tar lists them between the differences that it finds. */
class Listing {
  readonly #names = new Set<string>();
  readonly #repeated = new Set<string>();
  readonly #differences: string[] = [];
  #rest = "";

  /** How many files of any kind but folders, which archives leave out at will, the archive has. */
  get files(): number {
    return this.#names.size;
  }

  take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#takeLine(line);
  }

  /** The first differences, but for those of files that the archive has twice: the last one counts. */
  differences(): string[] {
    return this.#differences.filter((line) => !this.#repeated.has(line.slice(0, line.lastIndexOf(": "))));
  }

  #takeLine(line: string): void {
    const [, kind, member] = MEMBER.exec(line) ?? [];
    if (kind === undefined) {
      if (this.#differences.length < MOST_DIFFERENCES) this.#differences.push(line);
      return;
    }
    if (kind === "d") return;
    const [name] = member.split(kind === "l" ? " -> " : kind === "h" ? " link to " : "\n", 1);
    if (this.#names.has(name)) this.#repeated.add(name);
    this.#names.add(name);
  }
}

async function countFiles(folder: string): Promise<number> {
  let count = 0;
  await runCommand("find", ["-P", folder, "-mindepth", "1", "!", "-type", "d", "-printf", "."], {
    timeout: Infinity,
    output: (text) => void (count += text.length),
  });
  return count;
}
