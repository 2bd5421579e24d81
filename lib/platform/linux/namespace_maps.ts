import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { EngineError } from "../../engine/errors.ts";
import type { IDMapping, IDMaps } from "../../engine/records/id_maps.ts";
import { startPipedProgram } from "./helpers/spawn.ts";

const PATIENCE = 10_000;

/**
 * Reads the mappings of a user namespace that somebody else has made, host's IDs outside. The kernel tells them of processes,
 * not of namespaces: one enters it, and ends again. Throws `EngineError("invalid")` for what is no such namespace.
 */
export async function namespaceMaps(path: string): Promise<IDMaps> {
  const program = ["sh", "-c", "echo; read end"];
  const child = startPipedProgram("nsenter", [`--user=${path}`, "--preserve-credentials", ...program], {
    timeout: PATIENCE,
  });
  const ended = once(child, "close");
  ended.catch(() => {});
  try {
    let complaint = "";
    child.stderr.on("data", (data) => complaint += data);
    child.stdin.on("error", () => {});
    const isInside = await Promise.race([once(child.stdout, "data").then(() => true), ended.then(() => false)]);
    if (!isInside) throw new EngineError("invalid", `Enter user namespace "${path}": ${complaint.trim()}`);
    const read = async (kind: string) => parseMappings(await readFile(`/proc/${child.pid}/${kind}_map`, "utf8"));
    const [uids, gids] = await Promise.all([read("uid"), read("gid")]);
    return { uids, gids };
  } finally {
    child.stdin.end();
    child.kill("SIGKILL");
    await ended.catch(() => {});
  }
}

function parseMappings(text: string): IDMapping[] {
  return text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [container, host, size] = line.trim().split(/\s+/).map(Number);
    return { container, host, size };
  });
}
