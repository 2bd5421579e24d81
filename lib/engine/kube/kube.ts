/** Kubernetes documents: what the engine does with them, one call per operation. The reader of YAML is loaded by the first call. */
import type { ApplyOptions } from "./apply/apply_kube.ts";
import type { GenerateOptions } from "./generate/generate_pod.ts";
import type { KubeParts } from "./kube_parts.ts";
import type { DownOptions, DownReport } from "./play/down_kube.ts";
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
  async play(text: string, options?: PlayOptions): Promise<PlayReport> {
    const { playKube } = await import("./play/play_kube.ts");
    return await playKube(this.#parts, text, options);
  }

  /** Stops and removes the pods of the documents, and removes their secrets; with `force` their volumes, too. */
  async down(text: string, options?: DownOptions): Promise<DownReport> {
    const { downKube } = await import("./play/down_kube.ts");
    return await downKube(this.#parts, text, options);
  }

  /**
   * Writes YAML documents of containers, pods and volumes, by names or IDs: they play again into the same. Containers become one
   * pod; what no document can say stands in comments before it. Throws `invalid` for a name of nothing, for a container that is
   * in a pod, and for a kind of document that its restart policy does not fit.
   */
  async generate(namesOrIDs: readonly string[], options?: GenerateOptions): Promise<string> {
    const { generateKube } = await import("./generate/generate_kube.ts");
    return await generateKube(this.#parts, namesOrIDs, options);
  }

  /**
   * Hands the objects of a YAML text to a cluster of Kubernetes, over TLS, each by a server-side apply. Returns their titles in the order they were
   * sent: `Service "web"`, `Pod "web"`. Throws `EngineError`: `invalid` with document or kubeconfig and path, `unsupported` for
   * credentials by programs, and where there is no host to read files of, `internal` with the server's status, reason and message.
   */
  async apply(text: string, options: ApplyOptions): Promise<string[]> {
    const { applyKube } = await import("./apply/apply_kube.ts");
    return await applyKube(this.#parts, text, options);
  }
}
