import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { RemoveImageOptions, RemoveImageReport } from "../../lib/engine/images/types.ts";
import { emit } from "../wire/emit.ts";
import { LibpodImagesRemoveReport } from "../wire/images/image.ts";
import { errorText } from "./pull_progress.ts";

/** Removes one image; what goes wrong is the answer's status. */
export async function removeImage(
  engine: Engine,
  name: string,
  options: RemoveImageOptions,
): Promise<LibpodImagesRemoveReport> {
  return removeReport(await engine.images.remove(name, options), []);
}

/** Removes several images, or all; what goes wrong is in the report, and the others go all the same. */
export async function removeImages(
  engine: Engine,
  names: readonly string[],
  { all = false, ...options }: RemoveImageOptions & { all?: boolean },
): Promise<LibpodImagesRemoveReport> {
  const { images } = engine;
  const { errors, ...removed } = names.length === 0 && all
    ? await images.removeAll(options)
    : await images.removeMany(names, options);
  return removeReport(removed, errors);
}

function removeReport(
  { deleted, untagged }: Pick<RemoveImageReport, "deleted" | "untagged">,
  errors: readonly unknown[],
): LibpodImagesRemoveReport {
  return emit(LibpodImagesRemoveReport, {
    Deleted: deleted,
    Untagged: untagged,
    ExitCode: exitCode(errors),
    Errors: errors.map(errorText),
  });
}

/** As the client exits: 1 when all that went wrong is unknown images, 2 when one is in use, 125 for the rest. */
function exitCode(errors: readonly unknown[]): number {
  if (errors.length === 0) return 0;
  const codes = errors.map((error) => error instanceof EngineError ? error.code : "internal");
  if (codes.every((code) => code === "no_such_image")) return 1;
  return codes.every((code) => code === "in_use" || code === "no_such_image") ? 2 : 125;
}
