import { EngineError } from "../../../engine/errors.ts";
import { type LayerFacts, readLayerFacts, type RootAttributes } from "./layer_facts.ts";
import { layerHex } from "./layer_name.ts";

/** The mode of a root folder that no layer describes. */
export const DEFAULT_ROOT_MODE = 0o555;

/** Owners and modes of the root folders of layers, each read once: a layer never changes. */
export class LayerRoots {
  readonly #folder: (hex: string) => string;
  readonly #known = new Map<string, LayerFacts>();

  /** @param folder Returns the folder of a layer */
  constructor(folder: (hex: string) => string) {
    this.#folder = folder;
  }

  /** Owner and mode of the root of layers, base first: the topmost layer that says something decides. */
  async attributes(diffIDs: readonly string[]): Promise<RootAttributes> {
    for (const diffID of [...diffIDs].reverse()) {
      const { root } = await this.#facts(layerHex(diffID));
      if (root !== null) return root;
    }
    return { mode: DEFAULT_ROOT_MODE, uid: 0, gid: 0 };
  }

  /** Forgets a layer that goes, or is replaced. */
  forget(hex: string): void {
    this.#known.delete(hex);
  }

  async #facts(hex: string): Promise<LayerFacts> {
    const known = this.#known.get(hex);
    if (known !== undefined) return known;
    const facts = await readLayerFacts(this.#folder(hex));
    if (facts === undefined) throw new EngineError("internal", `Read layer: "sha256:${hex}" is missing`);
    this.#known.set(hex, facts);
    return facts;
  }
}
