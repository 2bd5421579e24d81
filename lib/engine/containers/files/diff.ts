import type { TreeChange } from "../../tree_port.ts";
import { EngineError } from "../../errors.ts";
import { type Context, hostOf } from "../context.ts";
import { invalid, isCode } from "../failures.ts";

/** What the engine itself puts into every tree, mount points for the most part: no change of the container's. */
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
  "/run/podman-init",
  "/run/secrets",
  "/sys",
]);

/** What is compared. */
export interface ChangesOptions {
  /** A name or ID of a container or an image. */
  of: string;
  /** What `of` may be; either by default, an image first. */
  kind?: "container" | "image";
  /** What to compare with; by default what is right below: a container's image, an image's other layers. */
  parent?: string;
}

/** A stack of layers, by their diff IDs from base to top; with a container's writable layer on top or not. */
interface Stack {
  diffIDs: readonly string[];
  containerID?: string;
}

/** Tells what a container changed in its image, or an image's top layer in those below. */
export async function listChanges(context: Context, { of, kind, parent }: ChangesOptions): Promise<TreeChange[]> {
  const { trees } = hostOf(context);
  const { containerID, diffIDs } = stackOf(context, of, kind);
  const top = containerID === undefined ? { diffID: diffIDs.at(-1) ?? "" } : { containerID };
  const below = containerID === undefined ? diffIDs.slice(0, -1) : diffIDs;
  if (parent !== undefined && parent !== "") {
    const asked = stackOf(context, parent, kind);
    const isBelow = asked.containerID === undefined && asked.diffIDs.length === below.length &&
      asked.diffIDs.every((diffID, index) => diffID === below[index]);
    if (!isBelow) throw invalid(`"${parent}" is not what "${of}" is right above: other parents are not supported`);
  }
  if ("diffID" in top && top.diffID === "") return [];
  return (await trees.changes(top, below)).filter(({ path }) => !OWN.has(path));
}

function stackOf(context: Context, name: string, kind: ChangesOptions["kind"]): Stack {
  const { records, core } = context;
  if (kind !== "container") {
    try {
      return { diffIDs: core.images.resolve(name).layers.map(({ diffID }) => diffID) };
    } catch (error) {
      if (kind === "image" || !isCode(error, "no_such_image", "invalid")) throw missing(name, error);
    }
  }
  try {
    const { id, diffIDs } = records.resolve(name);
    return { diffIDs, containerID: id };
  } catch (error) {
    throw missing(name, error);
  }
}

function missing(name: string, error: unknown): unknown {
  if (!isCode(error, "no_such_image", "no_such_container")) return error;
  const { message, sentinel } = error as EngineError;
  return new EngineError("internal", `${name} not found: ${message}`, { sentinel, cause: error });
}
