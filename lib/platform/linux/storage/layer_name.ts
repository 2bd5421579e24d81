import { isID, isSHA256 } from "../../../oci/digest.ts";

/** The digest's digits, which name a layer's folder. Throws `TypeError` for anything that is no sha256 digest, so that no path can leave its folder. */
export function layerHex(diffID: string): string {
  if (!isSHA256(diffID)) throw new TypeError(`Name layer: "${diffID}" is not a sha256 diff ID`);
  return diffID.slice("sha256:".length);
}

/** Whether a name among the layers is a layer's. */
export function isLayerFolder(name: string): boolean {
  return isID(name);
}
