/**
 * Names and files of quadlets: which are allowed, and what belongs to what.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import type { ShelfFile } from "../ports/quadlet_port.ts";
import { convertQuadlets } from "./convert/convert_quadlets.ts";
import { QuadletError } from "./quadlet_error.ts";
import { extensionOf, kindOf } from "./quadlet_kinds.ts";

/** Bytes of all files of one installation. */
export const QUADLET_LIMIT = 4 << 20;

const NONE = "no such quadlet";

/** Refuses a quadlet that is wrong in itself; what another file may mend is left to the conversion. */
export function checkQuadlet({ name, content }: ShelfFile): void {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new QuadletError({ file: name }, "not UTF-8");
  }
  try {
    convertQuadlets([{ name, text }]);
  } catch (error) {
    if (!(error instanceof QuadletError && error.isMendable)) throw error;
  }
}

/** Throws `invalid` for a name that is no quadlet's. */
export function requireKind(name: string): void {
  if (kindOf(name) !== undefined && isPlain(name)) return;
  const end = extensionOf(name);
  throw new EngineError("invalid", `"${end === "" ? "" : `.${end}`}" is not a supported quadlet file type`);
}

/** The file that lists the files which came with a quadlet, as Podman calls it. */
export function assetList(name: string): string {
  return `.${name}.asset`;
}

/** Whether a name is that of a file in the folder itself, and not one that is hidden there. */
export function isPlain(name: string): boolean {
  return /^[^./\0\n][^/\0\n]{0,254}$/.test(name);
}

/** The error for a quadlet that is not there. */
export function noSuchQuadlet(name: string): EngineError {
  return new EngineError("no_such_quadlet", `no such quadlet: ${name}: ${NONE}`, { sentinel: NONE });
}

/** Whether a unit is an instance of a template: `web@blue.service` of `web@.service`. */
export function isInstance(unit: string, template: string): boolean {
  return template.endsWith("@.service") && unit.startsWith(template.slice(0, -".service".length));
}
