import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../../../engine/errors.ts";

const OTHERS_PASS = 0o001;

/** Throws `EngineError("invalid")` unless every user may pass through the folders above one. */
export async function requireWay(folder: string): Promise<void> {
  for (let above = dirname(folder); above !== "/"; above = dirname(above)) {
    if (((await stat(above)).mode & OTHERS_PASS) !== 0) continue;
    const advice = "a user namespace needs a root that every user may pass (chmod o+x)";
    throw new EngineError("invalid", `Mount container tree: "${above}" keeps the container's users out: ${advice}`);
  }
}
