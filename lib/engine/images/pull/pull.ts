import { platformMatches } from "../../../oci/platform.ts";
import { printableLines } from "../../../oci/printable.ts";
import { formatReference, type Reference } from "../../../oci/reference.ts";
import type { RegistriesConf } from "../../../oci/registry/registries_conf.ts";
import { RegistryClient } from "../../../oci/registry/registry_client.ts";
import { listCandidates } from "../../../oci/registry/short_name.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Platform } from "../../options.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { Content } from "../store/content.ts";
import { pullFailure, pullFailureOf, unknownImage } from "../failures.ts";
import { tryInOrder } from "./try_in_order.ts";
import { fetchImage, type PullContext } from "./image_fetch.ts";
import { findImage, parseName } from "../store/lookup.ts";
import { registryOptions } from "../registry_options.ts";
import { registryReference } from "../transport.ts";
import type { PullOptions, PullProgress } from "../types.ts";

/** The name of the operation in errors. */
const PULLING = "pulling";

/** The parts of the engine a pull changes. */
export interface PullParts {
  core: Core;
  catalogue: Catalogue;
  content: Content;
}

/** Pulls what a text names, by the policy asked for; see {@linkcode Images.pull}. */
export async function pullImages(
  parts: PullParts,
  text: string,
  options: PullOptions,
  tell: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const policy = options.policy ?? "always";
  const name = registryReference(text);
  const local = policy === "always" ? undefined : findLocal(parts, name, options.platform);
  if (policy === "never" && !local) throw unknownImage(name);
  if (local && policy !== "newer") return tell({ kind: "done", ids: [local.id] });
  try {
    const ids = await pullOrKeep(parts, { name, local, options, tell, signal });
    tell({ kind: "done", ids });
  } catch (error) {
    const failure = pullFailureOf(error, signal);
    // An invalid name may be a URL with a password in it: events last, and all clients may read them.
    if (failure.code !== "invalid") {
      const attributes = { error: printableLines(failure.message) };
      parts.core.events.emit({ type: "image", action: "pull-error", id: "", name, attributes });
    }
    throw error;
  }
}

/** The inputs of {@linkcode pullOrKeep}. */
interface Asked {
  name: string;
  /** The local image of that name. */
  local: ImageRecord | undefined;
  options: PullOptions;
  tell(progress: PullProgress): void;
  signal: AbortSignal;
}

/** Asks the registry, and tells the event log of what came that was not here. */
async function pullOrKeep(parts: PullParts, { name, local, options, tell, signal }: Asked): Promise<string[]> {
  const references = candidatesOf(parts.core, name);
  const client = new RegistryClient(
    parts.core.ports.net,
    registryOptions(parts.core, options, references.map(({ domain }) => domain)),
  );
  const context = { ...parts, platform: platformOf(parts.core, options), client };
  const pull: PullContext = { ...context, tell, signal };
  const ids = local
    ? [await pullNewer(pull, references, local)]
    : await tryInOrder(references, { signal, what: PULLING }, (one) =>
      pullReference(pull, one, options.allTags ?? false));
  if (!local || local.id !== ids[0]) {
    for (const id of ids) parts.core.events.emit({ type: "image", action: "pull", id, name });
  }
  return ids;
}

async function pullReference(pull: PullContext, reference: Reference, allTags: boolean): Promise<string[]> {
  if (!allTags) return [await announceAndFetch(pull, reference)];
  const { domain, path } = reference;
  const ids: string[] = [];
  for (const tag of await pull.client.tags(reference, { signal: pull.signal })) {
    ids.push(await announceAndFetch(pull, { domain, path, tag }));
  }
  return [...new Set(ids)];
}

async function announceAndFetch(pull: PullContext, reference: Reference): Promise<string> {
  pull.tell({ kind: "status", text: `Trying to pull ${formatReference(reference)}...` });
  return await fetchImage(pull, reference);
}

/** Pulls an image, and keeps the local one where the registry has the same, or cannot be asked. */
async function pullNewer(pull: PullContext, references: Reference[], local: ImageRecord): Promise<string> {
  try {
    return await tryInOrder(references, { signal: pull.signal, what: PULLING }, async (reference) => {
      const { digest } = await pull.client.manifest(reference, { signal: pull.signal });
      const isSame = pull.catalogue.withDigest(digest).some(({ id }) => id === local.id);
      return isSame ? local.id : await announceAndFetch(pull, reference);
    });
  } catch (error) {
    const failure = pullFailure(error);
    if (failure.code !== "registry") throw failure;
    pull.core.log("debug", `Keep ${local.id}: ${failure.message}`);
    return local.id;
  }
}

function findLocal(
  { core, catalogue }: PullParts,
  name: string,
  platform: Partial<Platform> | undefined,
): ImageRecord | undefined {
  try {
    const { image } = findImage(catalogue, core.options.registries, name);
    if (!platform || Object.values(platform).every((part) => !part)) return image;
    return platformMatches(image.config, { ...core.options.defaultPlatform, ...platform }) ? image : undefined;
  } catch (error) {
    if (error instanceof EngineError && error.code === "no_such_image") return undefined;
    throw error;
  }
}

/** The full names that a pull of the text tries in order, however strict the short-name mode is. */
export function resolveNames(conf: RegistriesConf, text: string): string[] {
  try {
    return listCandidates({ ...conf, shortNameMode: "disabled" }, text).map(formatReference);
  } catch (error) {
    const { message } = pullFailure(error);
    const sentinel = message.slice(message.lastIndexOf(": ") + 2);
    throw new EngineError("invalid", `resolving "${text}": ${message}`, { cause: error, sentinel });
  }
}

/** The full names that a pull of the text tries in order, by the short-name mode. */
export function candidatesOf(core: Pick<Core, "options">, name: string): Reference[] {
  const parsed = parseName(name);
  try {
    return listCandidates(core.options.registries, formatReference(parsed));
  } catch (error) {
    throw new EngineError("invalid", pullFailure(error).message, { cause: error });
  }
}

function platformOf({ options }: Pick<Core, "options">, { platform = {} }: PullOptions): Platform {
  const { os, architecture, variant } = options.defaultPlatform;
  const wish = { os: platform.os || os, architecture: platform.architecture || architecture };
  // The default's variant belongs to the default's architecture.
  const ownVariant = platform.architecture && platform.architecture !== architecture ? undefined : variant;
  const chosen = platform.variant || ownVariant;
  return chosen === undefined ? wish : { ...wish, variant: chosen };
}
