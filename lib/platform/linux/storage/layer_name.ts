const HEX = /^[0-9a-f]{64}$/;

/** The digest's digits, which name a layer's folder. Throws `TypeError` for anything that is no sha256 digest, so that no path can leave its folder. */
export function layerHex(diffID: string): string {
  const hex = diffID.startsWith("sha256:") ? diffID.slice(7) : "";
  if (!HEX.test(hex)) throw new TypeError(`Name layer: "${diffID}" is not a sha256 diff ID`);
  return hex;
}

/** Whether a name among the layers is a layer's. */
export function isLayerFolder(name: string): boolean {
  return HEX.test(name);
}
