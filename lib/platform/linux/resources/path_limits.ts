import { stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import { type Limits, type PathLimits, type Throttle, THROTTLES, type Weight } from "../../../engine/records/limits.ts";
import { deviceNumbers } from "../bundle/devices.ts";
import { hostText } from "../helpers/bounded_read.ts";

/** Puts the numbers of block devices in place of their paths. Throws `invalid` for what is no block device. */
export async function withNumbers(limits: Limits, paths: PathLimits): Promise<Limits> {
  const blockIO: NonNullable<Limits["blockIO"]> = { ...limits.blockIO };
  const weights = Object.entries(paths.weightDevice ?? {}).map(async (
    [path, { weight, leafWeight }],
  ): Promise<Weight> => ({
    ...await numbers(path, `failed to inspect '${path}' in --blkio-weight-device: stat ${path}`),
    weight,
    leafWeight,
  }));
  if (weights.length > 0) blockIO.weightDevice = await Promise.all(weights);
  for (const list of THROTTLES) {
    const throttles = Object.entries(paths[list] ?? {}).map(async ([path, rate]): Promise<Throttle> => ({
      ...await numbers(path, `could not parse throttle device at ${path}`),
      rate,
    }));
    if (throttles.length > 0) blockIO[list] = await Promise.all(throttles);
  }
  return { ...limits, blockIO };
}

async function numbers(path: string, failure: string): Promise<{ major: number; minor: number }> {
  const facts = await stat(path).catch(() => undefined);
  const why = facts === undefined ? "no such file or directory" : "not a block device";
  if (!facts?.isBlockDevice()) throw new EngineError("invalid", `${failure}: ${why}`, { sentinel: why });
  return deviceNumbers(facts.rdev);
}

/** Finds the paths of the block devices that limits name, by `major:minor`. */
export async function pathsOf({ blockIO }: Limits, sys = "/sys/dev/block"): Promise<Record<string, string>> {
  const lists = [blockIO?.weightDevice, ...THROTTLES.map((list) => blockIO?.[list])];
  const keys = new Set(lists.flatMap((list) => (list ?? []).map(({ major, minor }) => `${major}:${minor}`)));
  const found = await Promise.all([...keys].map(async (key): Promise<[string, string][]> => {
    const facts = await hostText(join(sys, key, "uevent"));
    const name = /^DEVNAME=(.+)$/m.exec(facts)?.[1];
    return name === undefined ? [] : [[key, `/dev/${name}`]];
  }));
  return Object.fromEntries(found.flat());
}
