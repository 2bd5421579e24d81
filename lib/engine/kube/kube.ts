/** Kubernetes documents: what the engine does with them, one call per operation. */
import { generateKube } from "./generate/generate_kube.ts";
import type { GenerateOptions } from "./generate/generate_pod.ts";
import type { KubeParts } from "./kube_parts.ts";
import { downKube, type DownOptions, type DownReport } from "./play/down_kube.ts";
import { playKube } from "./play/play_kube.ts";
import type { PlayOptions, PlayReport } from "./play/play_options.ts";

/** Plays Kubernetes documents on the engine, takes down what they made, and writes documents of what there is. */
export class Kube {
  readonly #parts: KubeParts;

  constructor(parts: KubeParts) {
    this.#parts = parts;
  }

  /**
   * Makes and starts what the documents of a YAML text ask for. The report names each part of a document that nobody
   * honours (`notes`). Throws `EngineError`: `invalid` with document and path for what cannot be, `limit`, `name_in_use` for a pod that is
   * there already, `unsupported` where there is no host.
   *
   * @param text One or more YAML documents
   */
  play(text: string, options?: PlayOptions): Promise<PlayReport> {
    return playKube(this.#parts, text, options);
  }

  /** Stops and removes the pods of the documents, and removes their secrets; with `force` their volumes, too. */
  down(text: string, options?: DownOptions): Promise<DownReport> {
    return downKube(this.#parts, text, options);
  }

  /**
   * Writes YAML documents of containers, pods and volumes, by names or IDs: they play again into the same. Containers become one
   * pod; what no document can say stands in comments before it. Throws `invalid` for a name of nothing, for a container that is
   * in a pod, and for a kind of document that its restart policy does not fit.
   */
  generate(namesOrIDs: readonly string[], options?: GenerateOptions): Promise<string> {
    return generateKube(this.#parts, namesOrIDs, options);
  }
}
