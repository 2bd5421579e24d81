/**
 * The build that a `.build` unit is for: of a folder of the host, or of an address.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import { isAddress } from "../convert/shared.ts";
import type { QuadletWork } from "../spec/read_work.ts";
import { readHostFile } from "./host_text.ts";
import type { UnitParts } from "./unit_parts.ts";

/** Names that a folder's Dockerfile has where a unit names none. */
const USUAL = ["Containerfile", "Dockerfile"];

/** Builds the image. Throws `EngineError`. */
export async function beginBuild(
  parts: UnitParts,
  { context, options }: Extract<QuadletWork, { kind: "build" }>,
  signal: AbortSignal,
): Promise<void> {
  const source = isAddress(context)
    ? { remote: context, dockerfiles: options.dockerfiles.length > 0 ? options.dockerfiles : ["Dockerfile"] }
    : { contextFolder: context, ...await findDockerfiles(parts, context, options.dockerfiles) };
  for await (const _ of parts.builds.build({ ...options, ...source, signal }));
}

/** The Dockerfiles of a folder by their paths in it; those that lie elsewhere as texts. */
async function findDockerfiles(parts: UnitParts, folder: string, named: readonly string[]) {
  const inside = (path: string) => path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const paths = named.map(inside);
  if (paths.some((path) => path.startsWith("/"))) {
    const texts = named.map(async (name) => ({
      name,
      text: await readHostFile(parts, name.startsWith("/") ? name : `${folder}/${name}`),
    }));
    return { dockerfiles: [], dockerfileTexts: await Promise.all(texts) };
  }
  if (paths.length > 0) return { dockerfiles: paths };
  const found = await parts.localFiles().find(folder);
  if (found.kind !== "folder") throw new EngineError("invalid", `"${folder}" is no folder`);
  for (const name of USUAL) if (await found.file(name) !== undefined) return { dockerfiles: [name] };
  throw new EngineError("invalid", `"${folder}" has neither a ${USUAL.join(" nor a ")}`);
}
