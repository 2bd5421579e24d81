import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Owner and mode of a layer's root folder; `null` in layers that say nothing of it. */
export interface RootAttributes {
  mode: number;
  uid: number;
  gid: number;
}

/** The content of `layer.json`. */
export interface LayerFacts {
  root: RootAttributes | null;
}

/** Reads what is noted of a layer; `undefined` where nothing is. Throws for a file that is damaged. */
export async function readLayerFacts(layer: string): Promise<LayerFacts | undefined> {
  try {
    // Written by `apply()`, and only ever read whole.
    return JSON.parse(await readFile(join(layer, "layer.json"), "utf8")) as LayerFacts;
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
