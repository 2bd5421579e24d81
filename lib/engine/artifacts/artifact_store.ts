import {
  formatReference,
  isDomain,
  normaliseReference,
  parseReference,
  repositoryName as repositoryOf,
  withDefaultTag,
} from "../../oci/reference.ts";
import { artifactBlobs, type ArtifactRecord } from "../records/artifact_record.ts";
import { EngineError } from "../errors.ts";
import type { ImageParts } from "../images/ingest/ingest.ts";
import type { Table } from "../store/table.ts";

/** The records of artifacts, by name. */
export class ArtifactStore {
  readonly #parts: ImageParts;
  readonly #table: Table<ArtifactRecord>;

  constructor(parts: ImageParts) {
    this.#parts = parts;
    this.#table = parts.core.state.table<ArtifactRecord>("artifacts");
  }

  values(): Readonly<ArtifactRecord>[] {
    return this.#table.values();
  }

  /** The artifact of exactly this name. */
  named(name: string): Readonly<ArtifactRecord> | undefined {
    return this.#table.get(name);
  }

  /** By full name, by repository and digest, or by the beginning of a digest. Throws `no_such_artifact` or `ambiguous`. */
  find(text: string): Readonly<ArtifactRecord> {
    const name = tryName(text);
    const found = name === undefined ? this.#withPrefix(text) : this.#table.get(name) ?? this.#withDigest(name);
    if (found) return found;
    throw noSuchArtifact(text);
  }

  /** Runs `fn` while nobody else changes what has this name. */
  with<T>(name: string, fn: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#parts.core.locks.with(`artifact:${name}`, fn, signal);
  }

  /** Stores a record; what the one before it alone needed goes. */
  async put(record: ArtifactRecord): Promise<void> {
    const old = this.#table.get(record.name);
    await this.#parts.core.state.commit([this.#table.put(record.name, record)]);
    if (old) await this.#release(old);
  }

  /** Forgets an artifact, with what it alone needed. */
  async remove({ name }: Pick<ArtifactRecord, "name">): Promise<ArtifactRecord | undefined> {
    return await this.with(name, async () => {
      const record = this.#table.get(name);
      if (!record) return undefined;
      await this.#parts.core.state.commit([this.#table.drop(name)]);
      await this.#release(record);
      return record;
    });
  }

  async #release(record: ArtifactRecord): Promise<void> {
    await this.#parts.content.release(artifactBlobs(record).map((digest) => `blob:${digest}` as const), "delete");
  }

  #withDigest(name: string): Readonly<ArtifactRecord> | undefined {
    const { digest, ...reference } = parseReference(name);
    if (digest === undefined) return undefined;
    const repository = repositoryOf(reference);
    return this.values().find((one) => one.digest === digest && repositoryOf(parseReference(one.name)) === repository);
  }

  #withPrefix(text: string): Readonly<ArtifactRecord> | undefined {
    const hex = text.replace(/^sha256:/, "");
    if (!/^[0-9a-f]{1,64}$/.test(hex)) return undefined;
    const found = this.values().filter(({ digest }) => digest.startsWith(`sha256:${hex}`));
    if (found.length < 2) return found[0];
    const names = found.map(({ name }) => name).join(",");
    throw new EngineError("ambiguous", `multiple artifacts found with matching digest: "${names}"`);
  }
}

/** The full name that a text is, with `latest` where it has neither tag nor digest. Throws `EngineError("invalid")`. */
export function artifactName(text: string): string {
  const name = tryName(text);
  if (name !== undefined) return name;
  throw new EngineError("invalid", `parse artifact name "${text.slice(0, 300)}": repository name must be canonical`);
}

/** Artifacts go by whole names only: registry, path, and a tag or a digest. */
function tryName(text: string): string | undefined {
  try {
    const reference = parseReference(text);
    if (!isDomain(reference.domain) || formatReference(normaliseReference(text)) !== text) return undefined;
    if (reference.tag === undefined || reference.digest === undefined) {
      return formatReference(withDefaultTag(reference));
    }
  } catch {
    return undefined;
  }
  throw new EngineError("invalid", `${text}: reference cannot be tagged and digested`);
}

/** An unknown artifact, as clients know it. */
export function noSuchArtifact(name: string): EngineError {
  const sentinel = "artifact does not exist";
  return new EngineError("no_such_artifact", `${name}: ${sentinel}`, { sentinel });
}
