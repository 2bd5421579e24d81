import { stat } from "node:fs/promises";
import { EngineError } from "../../../engine/errors.ts";
import { findProgram } from "../helpers/programs.ts";

/** The names and paths by which catatonit is looked for. */
const PLACES = ["catatonit", "/usr/libexec/podman/catatonit", "/usr/libexec/catatonit/catatonit"];

/** The program that is process 1 of a container with an init: the one asked for, or catatonit. */
export async function findInit(asked?: string): Promise<string> {
  if (asked !== undefined) {
    if (await pathExists(asked)) return asked;
    throw new EngineError(
      "invalid",
      `container-init binary not found on the host: stat ${asked}: no such file or directory`,
    );
  }
  for (const place of PLACES) {
    if (!place.startsWith("/")) {
      const path = await findProgram(place);
      if (path !== undefined) return path;
    } else if (await pathExists(place)) return place;
  }
  throw new EngineError("unsupported", "Run container with an init: catatonit is not installed");
}

async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then((facts) => facts.isFile(), () => false);
}
