import type { ImageRecord } from "../records/image_record.ts";
import type { BuildProgress } from "./build_options.ts";
import { type BuildRun, type BuildSteps, targetPlatform } from "./build_run.ts";
import { totalSteps } from "./run_stages.ts";

/**
 * Builds an image for each platform, one after the other, and returns them in the order of the runs. Steps are numbered through, and say
 * which platform they are of.
 */
export async function* buildPlatforms(
  runs: readonly BuildRun[],
  build: (run: BuildRun) => BuildSteps<Readonly<ImageRecord>>,
): BuildSteps<Readonly<ImageRecord>[]> {
  const total = runs.reduce((sum, run) => sum + totalSteps(run), 0);
  const images = new Map<BuildRun, Readonly<ImageRecord>>();
  let before = 0;
  for (const run of nativeLast(runs)) {
    const { os, architecture, variant } = targetPlatform(run.core, run.options);
    const name = [os, architecture, ...variant ? [variant] : []].join("/");
    images.set(run, yield* placeEvents(build(run), { before, total, name }));
    before += totalSteps(run);
  }
  return runs.map((run) => images.get(run)!);
}

/** The names of base images are left with the image of the last platform: this machine's is of use for more than this build. */
function nativeLast(runs: readonly BuildRun[]): BuildRun[] {
  const isNative = ({ core, options }: BuildRun) =>
    targetPlatform(core, options).architecture === core.options.defaultPlatform.architecture;
  return [...runs.filter((run) => !isNative(run)), ...runs.filter(isNative)];
}

/** Gives the events of a part of a build their place in the whole. */
async function* placeEvents<T>(
  work: BuildSteps<T>,
  { before, total, name }: { before: number; total: number; name: string },
): BuildSteps<T> {
  try {
    for (;;) {
      const next = await work.next();
      if (next.done) return next.value;
      const event: BuildProgress = next.value;
      const placed = event.step === undefined ? event : { ...event, step: event.step + before };
      yield placed.kind === "step" ? { ...placed, number: placed.number + before, total, platform: name } : placed;
    }
  } finally {
    // A reader that leaves ends the work. Nobody sees the value.
    await work.return(undefined as never);
  }
}
