import { repositoryName } from "../../../oci/reference.ts";
import { RegistryClient } from "../../../oci/registry/registry_client.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { EngineError } from "../../errors.ts";
import { registryOptions } from "../../images/registry_options.ts";
import type { CacheTarget } from "../build_options.ts";
import type { BuildRun, BuildSteps } from "../build_run.ts";
import type { StageState } from "../stage_state.ts";
import { cacheReference, keyName, keyReference } from "./shared_cache.ts";

/**
 * Pushes the images of a build's steps to the caches that are asked for, each with its key as tag; those that are there are left.
 * Throws `EngineError`: `registry`, `invalid` for a target's name.
 */
export async function* exportCache(run: BuildRun, last: StageState): BuildSteps<void> {
  for (const target of run.options.cacheTo ?? []) {
    try {
      yield* exportTo(run, last, target);
    } catch (error) {
      run.signal.throwIfAborted();
      const text = `Cache export to ${target.name}: ${messageOf(error)}`;
      if (target.mayFail) yield { kind: "note", text: `${text}\n` };
      else throw new EngineError(error instanceof EngineError ? error.code : "registry", text, { cause: error });
    }
  }
}

async function* exportTo(run: BuildRun, last: StageState, { name, all }: CacheTarget): BuildSteps<void> {
  const { core, images, options, signal, stages } = run;
  const reference = cacheReference(name, options);
  const client = new RegistryClient(
    core.ports.net,
    registryOptions(core, options.registry ?? {}, [reference.domain]),
  );
  const repository = repositoryName(reference);
  const states = all ? [...stages.values(), last] : [last];
  const steps = new Map(states.flatMap((state) => state.steps).map((step) => [step.key, step]));
  let pushed = 0;
  // A step comes after those before it: a cache that was cut off is of use up to there.
  for (const { key, image, repository: origin } of steps.values()) {
    if (origin === repository || await isKept(client, keyReference(reference, key), signal)) continue;
    const progress = images.push(image, { ...options.registry, destination: keyName(reference, key), signal });
    for await (const _ of progress) { /* until it is there */ }
    pushed++;
  }
  yield { kind: "note", text: `Cache of ${steps.size} steps exported to ${repository}, ${pushed} of them new\n` };
}

async function isKept(
  client: RegistryClient,
  reference: ReturnType<typeof keyReference>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.manifest(reference, { signal });
    return true;
  } catch {
    // The push says what is wrong with the registry.
    signal.throwIfAborted();
    return false;
  }
}
