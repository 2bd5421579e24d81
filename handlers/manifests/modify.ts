import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { RegistryAccess } from "../../lib/engine/images/types.ts";
import { readStream } from "../../lib/oci/registry/body.ts";
import { type Context, HTTPError } from "../../lib/rest/mod.ts";
import { errorText } from "../images/pull_progress.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { boundaryOf, type Part, readParts } from "../multipart_parts.ts";
import { decode, DecodeError } from "../wire/decode.ts";
import { emit } from "../wire/emit.ts";
import { ManifestModifyOptions, ManifestModifyReport } from "../wire/manifests/manifest.ts";
import { artifactFiles } from "./artifact_files.ts";
import { entryOf, listOf, saysAnything } from "./annotations.ts";
import { RequestError } from "../request_error.ts";
import { isSHA256 } from "../../lib/oci/digest.ts";

const BODY_LIMIT = 4 << 20;

/** The input of a modification. */
interface Modification {
  engine: Engine;
  name: string;
  options: ManifestModifyOptions;
  /** Files beside the options, if they came in parts. */
  files: AsyncGenerator<Part, void> | undefined;
  access: RegistryAccess;
  signal: AbortSignal;
}

/** Changes a manifest list: adds images and files, removes entries, says something of them. Tells of each that could not be done. */
export async function modifyManifest(
  engine: Engine,
  name: string,
  { tlsVerify }: { tlsVerify?: boolean },
  body: ReadableStream<Uint8Array>,
  { request, signal }: Context,
): Promise<ManifestModifyReport> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  const files = boundary === undefined ? undefined : readParts(body, boundary);
  try {
    const options = await readOptions(files === undefined ? body : (await files.next()).value?.body);
    const { id } = engine.images.lists.find(name);
    const access = { tlsVerify, credentials: registryCredentials(request.headers) };
    const done = await modifyList({ engine, name, options, files, access, signal });
    return modifyReport(id, done);
  } finally {
    await files?.return();
  }
}

/** The changes made, and the errors. */
interface Outcome {
  images: string[];
  files: string[];
  errors: unknown[];
}

async function modifyList(modification: Modification): Promise<Outcome> {
  const { operation } = modification.options;
  // Both are read first: what does not parse changes nothing.
  const [entry, list] = [entryOf(modification.options), listOf(modification.options)];
  const outcome: Outcome = { images: [], files: [], errors: [] };
  switch (operation.toLowerCase()) {
    case "update":
      await attemptStep(outcome, () => updateEntries(modification, outcome));
      return outcome;
    case "remove":
      for (const image of modification.options.images) {
        await attemptStep(outcome, async () => {
          if (!isSHA256(image)) {
            throw new RequestError("invalid", `invalid image digest "${image}"`);
          }
          await modification.engine.images.lists.removeEntry(modification.name, image);
          outcome.images.push(image);
        });
      }
      return outcome;
    case "annotate": {
      const { engine: { images: { lists } }, name, options, access } = modification;
      // Podman 5.8's client names an empty digest where it means the list itself.
      const images = options.images.filter((image) => image !== "");
      for (const image of images) {
        await attemptStep(outcome, async () => {
          if (saysAnything(list)) {
            throw new RequestError("invalid", "setting index-wide values requires no instance digest");
          }
          await lists.annotateEntry(name, image, entry);
          outcome.images.push(image);
        });
      }
      if (images.length === 0) {
        await attemptStep(outcome, async () => {
          const isOfEntry = Object.values(entry).some((value) => Object.keys(value ?? {}).length > 0);
          if (isOfEntry) throw new RequestError("invalid", "setting values of an item requires an instance digest");
          await lists.annotate(name, list, access);
        });
      }
      return outcome;
    }
    default:
      throw new RequestError("malformed", `illegal operation "${operation}" for manifest list "${modification.name}"`);
  }
}

async function updateEntries(
  { engine, name, options, files, access, signal }: Modification,
  outcome: Outcome,
): Promise<void> {
  const { lists } = engine.images;
  const [entry, list] = [entryOf(options), listOf(options)];
  const common = { entry, list, signal, ...access };
  if (options.images.length > 0) {
    await lists.add(name, options.images, { ...common, all: options.all });
    outcome.images.push(...options.images);
  }
  if (files !== undefined) {
    await lists.addArtifact(name, noteNames(artifactFiles(files, options.artifact_layer_type), outcome.files), {
      ...common,
      type: options.artifact_type ?? undefined,
      configType: options.artifact_config_type,
      config: options.artifact_config,
      excludeTitles: options.artifact_exclude_titles,
      annotations: options.artifact_annotations,
      subject: options.artifact_subject || undefined,
    });
  } else if (options.images.length === 0 && saysAnything(list)) {
    await lists.annotate(name, list, access);
  }
}

async function* noteNames<T extends { name: string }>(files: AsyncIterable<T>, names: string[]): AsyncIterable<T> {
  for await (const file of files) {
    names.push(file.name);
    yield file;
  }
}

async function attemptStep(outcome: Outcome, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    outcome.errors.push(error);
  }
}

/** Some of it done is a conflict, none of it a bad request; clients read both as an error. */
function modifyReport(id: string, { images, files, errors }: Outcome): ManifestModifyReport {
  const done = emit(ManifestModifyReport, { Id: id, images, files });
  const [first] = errors;
  if (first === undefined) return done;
  const status = images.length > 0 ? 409 : 400;
  const texts = errors.map(errorText);
  const message = texts.join("; ");
  const cause = first instanceof EngineError ? first.sentinel : errorText(first);
  const body = { ...done, errors: texts, cause, message, response: status };
  throw new HTTPError(status, message, { cause: first, body });
}

async function readOptions(body: ReadableStream<Uint8Array> | undefined): Promise<ManifestModifyOptions> {
  try {
    const bytes = body === undefined ? new Uint8Array(0) : await readStream(body, BODY_LIMIT);
    return decode(ManifestModifyOptions, bytes);
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RangeError) {
      throw new RequestError("malformed", error.message, { cause: error, kind: "argument" });
    }
    throw error;
  }
}
