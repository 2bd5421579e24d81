/**
 * Quadlets to systemd units, podman-systemd.unit(5), as pure functions: they work in a browser and at the edge.
 *
 * @module
 */
import { extensionOf, QUADLET_KINDS, readQuadlet } from "../quadlet_kinds.ts";
import { QuadletError } from "../quadlet_error.ts";
import type { QuadletFile } from "../unit_file.ts";
import { convertContainer } from "./container.ts";
import { Conversion, type QuadletOptions } from "./conversion.ts";
import {
  convertArtifact,
  convertBuild,
  convertImage,
  convertKube,
  convertNetwork,
  convertPod,
  convertVolume,
} from "./others.ts";
import { isTemplate, type UnitInfo, unitInfo } from "./unit_info.ts";

/** A unit that systemd reads. */
export interface SystemdUnit {
  /** `web.service`. */
  name: string;
  text: string;
}

const CONVERTERS: Readonly<Record<string, (conversion: Conversion) => void>> = {
  ...{
    container: convertContainer,
    pod: convertPod,
    kube: convertKube,
    network: convertNetwork,
    volume: convertVolume,
  },
  ...{ image: convertImage, build: convertBuild, artifact: convertArtifact },
};
const DEPENDENCY_KEYS = [
  ...["After", "Before", "BindsTo", "Conflicts", "OnFailure", "OnSuccess", "PartOf", "PropagatesReloadTo"],
  ...["PropagatesStopTo", "ReloadPropagatedFrom", "Requires", "Requisite", "StopPropagatedFrom", "Upholds", "Wants"],
];

/**
 * Converts one quadlet to the text of its systemd unit.
 *
 * @param file The quadlet
 * @param others The quadlets that it refers to, and its drop-ins (`web.container.d/10-more.conf`)
 * @throws {@linkcode QuadletError} that names file, line and key: a key that its kind does not have, a bad value, a reference to
 *   a quadlet that is not there
 *
 * @example
 * ```ts
 * import { unitText } from "./convert_quadlets.ts";
 *
 * const text = unitText({ name: "web.container", text: "[Container]\nImage=docker.io/library/nginx\n" });
 * console.assert(text.includes("ExecStart=/usr/bin/podman run --name systemd-%N"));
 * ```
 */
export function unitText(file: QuadletFile, others: readonly QuadletFile[] = [], options: QuadletOptions = {}): string {
  const units = convertQuadlets([file, ...others.filter(({ name }) => name !== file.name)], options, [file.name]);
  return units[0].text;
}

/**
 * Converts quadlets that may refer to each other, with their drop-ins, to systemd units, in the order given.
 *
 * @param only The names of those to convert; all by default
 * @throws {@linkcode QuadletError}
 */
export function convertQuadlets(
  files: readonly QuadletFile[],
  options: QuadletOptions = {},
  only?: readonly string[],
): SystemdUnit[] {
  return readConversions(files, options, only).map(({ info, service }) => {
    return { name: info.service, text: service.toString() };
  });
}

/** Converts quadlets as {@linkcode convertQuadlets} does, and keeps what was read of them beside the units that came of it. */
export function readConversions(
  files: readonly QuadletFile[],
  options: QuadletOptions = {},
  only?: readonly string[],
): Conversion[] {
  const dropIns = files.filter(({ name }) => name.includes("/"));
  const quadlets = files.filter(({ name }) => !name.includes("/")).map((file) => {
    const { unit, kind } = readQuadlet(file, dropInsOf(file.name, dropIns));
    return { unit, kind, info: unitInfo(unit, kind) };
  });
  const units = new Map<string, UnitInfo>();
  for (const { unit: { name }, info } of quadlets) {
    if (units.has(name)) throw new QuadletError({ file: name }, "given twice");
    units.set(name, info);
  }
  for (const { unit, info } of quadlets) {
    const pod = units.get(unit.value("Container", "Pod") ?? "");
    if (pod !== undefined && !isTemplate(unit.name) && unit.flag("Container", "StartWithPod") !== false) {
      pod.members.push(info.service);
    }
  }
  const resolved = {
    ...{ folder: "/etc/containers/systemd", podman: "/usr/bin/podman", isUser: false, hasPath: () => true },
    ...options,
  };
  return quadlets.filter(({ unit }) => only?.includes(unit.name) ?? true).map(({ unit, kind, info }) => {
    const conversion = new Conversion({ quadlet: unit, kind, info, units, options: resolved });
    convertUnit(conversion);
    return conversion;
  });
}

/** Fills the unit: the quadlet's own sections with what its kind adds. */
function convertUnit(conversion: Conversion): void {
  const { quadlet, kind, service, options } = conversion;
  translateDependencies(conversion);
  if (quadlet.flag("Quadlet", "DefaultDependencies") !== false) {
    const online = options.isUser ? "podman-user-wait-network-online.service" : "network-online.target";
    service.prepend("Unit", "After", online);
    service.prepend("Unit", "Wants", online);
  }
  service.add("Unit", "SourcePath", `${options.folder}/${quadlet.name}`);
  service.add("Unit", "RequiresMountsFor", "%t/containers");
  service.rename(kind.section, `X-${kind.section}`);
  service.rename("Quadlet", "X-Quadlet");
  CONVERTERS[extensionOf(quadlet.name)](conversion);
}

/** Names of quadlets in `[Unit]` become the names of their services. */
function translateDependencies({ quadlet, service, units }: Conversion): void {
  for (const key of DEPENDENCY_KEYS) {
    const words = quadlet.words("Unit", key);
    if (!words.some((word) => Object.hasOwn(QUADLET_KINDS, extensionOf(word)))) continue;
    const names = words.map((word) => {
      if (!Object.hasOwn(QUADLET_KINDS, extensionOf(word))) return word;
      const info = units.get(word);
      if (info === undefined) {
        throw quadlet.fault("Unit", key, `there is no quadlet ${word}`, { isMendable: true });
      }
      return info.service;
    });
    service.set("Unit", key, names.join(" "));
  }
}

/**
 * The drop-ins of a quadlet: those of its kind, of the starts of its name that end in a dash, of its template and of its own name.
 * Of two with one file name the more special counts, and they apply in the order of those names.
 */
export function dropInsOf(name: string, files: readonly QuadletFile[]): QuadletFile[] {
  const end = extensionOf(name);
  const base = name.slice(0, -end.length - 1);
  const starts = [...base.matchAll(/-/g)].map(({ index }) => `${base.slice(0, index + 1)}.${end}`);
  const template = /^(.*@)[^@]+$/.exec(base)?.[1];
  const folders = [end, ...starts, ...template === undefined ? [] : [`${template}.${end}`], name];
  const found = new Map<string, QuadletFile>();
  for (const folder of folders) {
    for (const file of files) {
      const [of, own, ...rest] = file.name.split("/");
      if (of === `${folder}.d` && own?.endsWith(".conf") && rest.length === 0) found.set(own, file);
    }
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, file]) => file);
}
