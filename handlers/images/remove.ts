import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { RemoveImageOptions, RemoveImageReport } from "../../lib/engine/images/types.ts";
import { emit } from "../wire/emit.ts";
import { LibpodImagesRemoveReport } from "../wire/image.ts";

/** Removes one image; what goes wrong is the answer's status. */
export async function removeImage(
  engine: Engine,
  name: string,
  options: RemoveImageOptions,
): Promise<LibpodImagesRemoveReport> {
  return report([await engine.images.remove(name, options)], []);
}

/** Removes several images, or all; what goes wrong is in the report, and the others go all the same. */
export async function removeImages(
  engine: Engine,
  names: readonly string[],
  { all = false, ...options }: RemoveImageOptions & { all?: boolean },
): Promise<LibpodImagesRemoveReport> {
  const reports: RemoveImageReport[] = [];
  const errors: unknown[] = [];
  for (const name of all ? engine.images.list().map(({ id }) => id) : names) {
    try {
      reports.push(await engine.images.remove(name, options));
    } catch (error) {
      errors.push(error);
    }
  }
  return report(reports, errors);
}

function report(reports: readonly RemoveImageReport[], errors: readonly unknown[]): LibpodImagesRemoveReport {
  return emit(LibpodImagesRemoveReport, {
    Deleted: reports.flatMap(({ deleted }) => deleted),
    Untagged: reports.flatMap(({ untagged }) => untagged),
    ExitCode: exitCode(reports, errors),
    Errors: errors.map((error) => error instanceof Error ? error.message : String(error)),
  });
}

/** As the client exits: 1 when all that went wrong is unknown images, 2 when one is in use, 125 for the rest. */
function exitCode(reports: readonly RemoveImageReport[], errors: readonly unknown[]): number {
  if (errors.length === 0) return Math.max(0, ...reports.map(({ exitCode }) => exitCode));
  const codes = errors.map((error) => error instanceof EngineError ? error.code : "internal");
  if (codes.every((code) => code === "no_such_image")) return 1;
  return codes.every((code) => code === "in_use" || code === "no_such_image") ? 2 : 125;
}
