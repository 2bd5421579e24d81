import { engineFiles, INIT_PATH } from "../../records/spec_parts.ts";
import type { TreeChange, TreeName } from "../../ports/tree_port.ts";
import { EngineError, invalid } from "../../errors.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { isCode } from "../failures.ts";
import { holdTree } from "./held_tree.ts";

/** Paths that the engine itself puts into every tree, mount points for the most part: no changes of the container's. */
const OWN = new Set([
  "/dev",
  "/etc/hostname",
  "/etc/hosts",
  "/etc/mtab",
  "/etc/resolv.conf",
  "/proc",
  "/run",
  "/run/.containerenv",
  "/run/notify",
  INIT_PATH,
  "/run/secrets",
  "/sys",
]);

/** The two sides of a comparison. */
export interface ChangesOptions {
  /** A name or ID of a container or an image. */
  of: string;
  /** The kind of `of`; either by default, an image first. */
  kind?: "container" | "image";
  /** The object to compare with; by default the layers right below: a container's image, an image's other layers. */
  parent?: string;
}

/** A stack of layers, by their diff IDs from base to top; with a container's writable layer on top or not. */
interface Stack {
  diffIDs: readonly string[];
  containerID?: string;
  /** Further files of the engine's own in the container's tree. */
  own?: readonly string[];
}

/** Tells what a container changed in its image, or an image's top layer in those below, some at a time. */
export async function* listChanges(
  context: Context,
  { of, kind, parent }: ChangesOptions,
): AsyncGenerator<TreeChange[], void, undefined> {
  const { trees } = requireHost(context.core);
  const { containerID, diffIDs, own = [] } = stackOf(context, of, kind);
  const top = containerID === undefined ? { diffID: diffIDs.at(-1) ?? "" } : { containerID };
  const below = containerID === undefined ? diffIDs.slice(0, -1) : diffIDs;
  const asked = parent ? stackOf(context, parent, kind) : undefined;
  const hidden = new Set([...OWN, ...own, ...asked?.own ?? []]);
  const found = asked !== undefined && !isSame(asked, below)
    ? compareStacks(context, asked, { diffIDs, containerID })
    : "diffID" in top && top.diffID === ""
    ? []
    : trees.changes(top, below);
  for await (const some of found) {
    const theirs = some.filter(({ path }) => !hidden.has(path));
    if (theirs.length > 0) yield theirs;
  }
}

function isSame({ containerID, diffIDs }: Stack, others: readonly string[]): boolean {
  const isEqual = diffIDs.length === others.length && diffIDs.every((diffID, index) => diffID === others[index]);
  return containerID === undefined && isEqual;
}

async function* compareStacks(context: Context, from: Stack, to: Stack): AsyncGenerator<TreeChange[], void, undefined> {
  await using held = new AsyncDisposableStack();
  const names: TreeName[] = [];
  for (const { containerID, diffIDs } of [from, to]) {
    if (containerID === undefined) names.push({ diffIDs });
    else names.push({ root: held.use(await holdTree(context, containerID)).root });
  }
  yield* requireHost(context.core).trees.differences(names[0], names[1]);
}

function stackOf(context: Context, name: string, kind: ChangesOptions["kind"]): Stack {
  const { records, core } = context;
  if (kind !== "container") {
    try {
      return { diffIDs: core.images.resolve(name).layers.map(({ diffID }) => diffID) };
    } catch (error) {
      if (kind === "image" || !isCode(error, "no_such_image", "invalid")) throw explainMissing(name, error);
    }
  }
  try {
    const { id, diffIDs, spec } = records.resolve(name);
    if (spec.rootfs !== undefined) throw invalid(`container ${id} has a folder of the host as its root, and no image`);
    return { diffIDs, containerID: id, own: engineFiles(spec) };
  } catch (error) {
    throw explainMissing(name, error);
  }
}

function explainMissing(name: string, error: unknown): unknown {
  if (!isCode(error, "no_such_image", "no_such_container")) return error;
  const { message, sentinel } = error as EngineError;
  return new EngineError("internal", `${name} not found: ${message}`, { sentinel, cause: error });
}
