/**
 * Quadlets to the engine's own requests, as a pure function: it works in a browser and at the edge.
 *
 * @module
 */
import { messageOf } from "../../../oci/message_of.ts";
import { readConversions } from "../convert/convert_quadlets.ts";
import type { Conversion, QuadletOptions } from "../convert/conversion.ts";
import { QuadletError } from "../quadlet_error.ts";
import type { QuadletFile } from "../unit_file.ts";
import { splitWords } from "../../units/words.ts";
import { noteKeys, placeOfFlag } from "./flag_keys.ts";
import { type QuadletWork, readWork } from "./read_work.ts";
import { expandSpecifiers, replaceVariables, specifiersOf } from "./specifiers.ts";
import { foreignEntries, readPlan, serviceVariables, type UnitPlan } from "./unit_plan.ts";

/** Everything that the engine needs to run a quadlet without systemd. */
export interface QuadletSpec {
  /** The file: `web.container`. */
  file: string;
  /** The unit: `web.service`; of an instance `web@blue.service`. */
  unit: string;
  /** The requests that make what the quadlet says. */
  work: QuadletWork;
  /** When it runs. */
  plan: UnitPlan;
  /** A line for each key that means nothing to the engine: `web.container:7: Slice: …`. */
  unhonoured: string[];
}

/** The place where the engine runs a quadlet. */
export interface QuadletSpecOptions extends QuadletOptions {
  /** The instance of a template: `blue` for `web@blue.service`. */
  instance?: string;
  /** Values of specifiers beside those of the system's own manager: `{ h: "/home/me", H: "node1" }`. */
  specifiers?: Readonly<Record<string, string>>;
}

/**
 * Reads one quadlet as the engine's own requests: of a container, pod, network, volume, image, artifact, build or play. What
 * `PodmanArgs` says counts too. Keys without a counterpart are named in `unhonoured`, never passed over in silence.
 *
 * @param file The quadlet
 * @param others The quadlets that it refers to, and its drop-ins
 * @throws {@linkcode QuadletError} as `unitText` does, and for values that the engine cannot have; for a template without
 *   an instance
 *
 * @example
 * ```ts
 * import { quadletSpec } from "./quadlet_spec.ts";
 *
 * const { work, plan } = quadletSpec({ name: "web.container", text: "[Container]\nImage=quay.io/web\nPublishPort=8080:80\n" });
 * console.assert(work.kind === "container" && work.request.ports?.[0].hostPort === 8080);
 * console.assert(plan.restart === "no");
 * ```
 */
export function quadletSpec(
  file: QuadletFile,
  others: readonly QuadletFile[] = [],
  options: QuadletSpecOptions = {},
): QuadletSpec {
  const files = [file, ...others.filter(({ name }) => name !== file.name)];
  return readSpecs(files, options, [file.name])[0];
}

/** Reads several quadlets that may refer to each other, as {@linkcode quadletSpec} reads one, in the order given. */
function readSpecs(
  files: readonly QuadletFile[],
  { instance, specifiers, ...options }: QuadletSpecOptions = {},
  only?: readonly string[],
): QuadletSpec[] {
  return readConversions(files, options, only).map((conversion) => readSpec(conversion, { instance, specifiers }));
}

function readSpec(
  conversion: Conversion,
  { instance, specifiers: values }: Pick<QuadletSpecOptions, "instance" | "specifiers">,
): QuadletSpec {
  const { quadlet: { name: file }, info: { service } } = conversion;
  const unit = instanceName(conversion, instance);
  const specifiers = specifiersOf({ unit, values });
  const variables = serviceVariables(conversion);
  const command = (key: string): string[] => {
    const value = ownValue(conversion, key);
    if (value === undefined) return [];
    try {
      return replaceVariables(splitWords(value).map((word) => expandSpecifiers(word, specifiers)), variables);
    } catch (error) {
      throw error instanceof QuadletError ? error : new QuadletError({ file }, messageOf(error));
    }
  };
  const { work, unknown } = readWork(conversion, command);
  const plan = readPlan(conversion, specifiers);
  const unhonoured = [
    ...noteKeys(conversion),
    ...unknown.map((flag) => placeOfFlag(conversion, flag, `${flag} means nothing to the engine`).message),
    ...foreignEntries(conversion).map(({ key, section, file: where = file, line }) => {
      return new QuadletError({ file: where, line, key }, `[${section}] has this for systemd alone`).message;
    }),
  ];
  return { file, unit: unit || service, work, plan, unhonoured };
}

function instanceName({ quadlet, info: { service } }: Conversion, instance: string | undefined): string {
  if (!service.endsWith("@.service")) return service;
  const chosen = instance ?? quadlet.value("Install", "DefaultInstance");
  if (!chosen) throw new QuadletError({ file: quadlet.name }, "a template runs as an instance only: name one");
  return service.replace(/\.service$/, `${chosen}.service`);
}

/** The command that the conversion wrote: a quadlet may have further ones, which stand in its file. */
function ownValue({ service }: Conversion, key: string): string | undefined {
  const entries = service.sections.get("Service") ?? [];
  return entries.findLast((entry) => entry.key === key && entry.line === undefined)?.value;
}
