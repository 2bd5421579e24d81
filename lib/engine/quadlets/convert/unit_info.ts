import { extensionOf, type QuadletKind } from "../quadlet_kinds.ts";
import type { UnitFile } from "../unit_file.ts";

/** The facts of a quadlet that other units need. */
export interface UnitInfo {
  /** The file of its unit: `web.service`. */
  service: string;
  /** The name of what it makes; empty where only systemd knows it. */
  resource: string;
  /** The services that start with it, for a pod. */
  members: string[];
}

/** The name of what a quadlet makes, by the key that says it. */
const NAME_KEYS: Readonly<Record<string, string>> = {
  ...{ Container: "ContainerName", Pod: "PodName", Network: "NetworkName", Volume: "VolumeName" },
  ...{ Image: "Image", Build: "ImageTag", Artifact: "Artifact" },
};

/** The facts of a quadlet that others refer to. */
export function unitInfo(unit: UnitFile, kind: QuadletKind): UnitInfo {
  const base = baseName(unit.name);
  const given = unit.value(kind.section, "ServiceName");
  const service = given || (base.endsWith("@") ? `${base.slice(0, -1)}${kind.suffix}@` : `${base}${kind.suffix}`);
  const resource = kind.section === "Container"
    ? resolvedName(containerName(unit), service)
    : resourceName(unit, kind, base);
  return { service: `${service}.service`, resource, members: [] };
}

/** The name of a container as its unit spells it: it may hold specifiers. */
export function containerName(unit: UnitFile): string {
  return unit.value("Container", "ContainerName") || (unit.name.includes("@") ? "systemd-%p_%i" : "systemd-%N");
}

/** The name without the end that says its kind. */
function baseName(name: string): string {
  return name.slice(0, name.length - extensionOf(name).length - 1);
}

/** Whether a quadlet is a template: systemd starts instances of it only. */
export function isTemplate(name: string): boolean {
  return baseName(name).endsWith("@");
}

function resourceName(unit: UnitFile, { section }: QuadletKind, base: string): string {
  const given = unit.entries(section, NAME_KEYS[section] ?? "").map(({ value }) => value);
  if (section === "Build") return given[0] ?? "";
  if (section === "Image") return unit.value(section, "ImageTag") || (given.at(-1) ?? "");
  if (section === "Artifact" || section === "Kube") return given.at(-1) ?? "";
  return given.at(-1) ??
    (base.includes("@") && section !== "Pod" ? `systemd-${base.replace(/@.*$/, "")}-%i` : `systemd-${base}`);
}

function resolvedName(name: string, service: string): string {
  const resolved = name.replaceAll("%N", service);
  return resolved.includes("%") ? "" : resolved;
}
