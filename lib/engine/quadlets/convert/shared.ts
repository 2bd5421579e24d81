/**
 * Keys that several kinds of quadlets have.
 *
 * @module
 */
import { escapePath } from "../../units/words.ts";
import type { CommandLine, Conversion } from "./conversion.ts";

/** The network that the unit joins: one by name or mode, a `.network`, or that of a `.container`. */
export function addNetworks(conversion: Conversion, command: CommandLine): void {
  for (const network of conversion.values("Network")) {
    const [, name, options] = /^([^:]*)(:.*)?$/s.exec(network) ?? [];
    const isContainer = name.endsWith(".container");
    if (!isContainer && !name.endsWith(".network")) {
      command.add("--network", network);
      continue;
    }
    if (isContainer && options !== undefined) {
      throw conversion.fault("Network", "the network of another container takes no options");
    }
    const { resource } = conversion.require(name, "Network");
    command.add("--network", isContainer ? `container:${resource}` : `${resource}${options ?? ""}`);
  }
}

/** The volumes of the unit: folders, volumes by name, and what a `.volume` makes. */
export function addVolumes(conversion: Conversion, command: CommandLine): void {
  for (const volume of conversion.values("Volume")) {
    const at = volume.indexOf(":");
    if (at < 0) command.add("-v", volume);
    else command.add("-v", `${storageSource(conversion, "Volume", volume.slice(0, at))}${volume.slice(at)}`);
  }
}

/** The source of a mount: a path, a name, or what another quadlet makes. */
export function storageSource(
  conversion: Conversion,
  key: string,
  source: string,
  ends: readonly string[] = [],
): string {
  if (source === "") throw conversion.fault(key, "the source is empty");
  const path = source.startsWith(".") ? conversion.path(source) : source;
  if (path.startsWith("/")) {
    conversion.service.add("Unit", "RequiresMountsFor", escapePath(path));
    return path;
  }
  const isQuadlet = [".volume", ".artifact", ...ends].some((end) => path.endsWith(end));
  return isQuadlet ? conversion.require(path, key).resource : path;
}

/** An image by name, or the one that a `.image` pulls or a `.build` makes. */
export function imageSource(conversion: Conversion, image: string): string {
  return /\.(?:image|build)$/.test(image) ? conversion.require(image, "Image").resource : image;
}

/** The user namespace and its maps, in today's keys or in the older ones. */
export function addUserMaps(conversion: Conversion, command: CommandLine): void {
  const count = command.words.length;
  command.addValues({ UserNS: "--userns" }).addWords({ UIDMap: "--uidmap", GIDMap: "--gidmap" });
  command.addValues({ SubUIDMap: "--subuidname", SubGIDMap: "--subgidname" });
  const remap = ["RemapUsers", "RemapUid", "RemapGid"].find((key) => conversion.value(key) !== undefined);
  if (command.words.length === count) addRemap(conversion, command);
  else if (remap !== undefined) throw conversion.fault(remap, "a deprecated key beside those that took its place");
}

function addRemap(conversion: Conversion, command: CommandLine): void {
  const users = conversion.value("RemapUsers");
  const [uids, gids] = [conversion.words("RemapUid"), conversion.words("RemapGid")];
  const mapKey = uids.length > 0 ? "RemapUid" : "RemapGid";
  if (users === undefined) {
    if (uids.length + gids.length > 0) throw conversion.fault(mapKey, "set without RemapUsers");
  } else if (users === "manual") {
    if (conversion.kind.section === "Kube") throw conversion.fault("RemapUsers", "manual is not for a .kube");
    command.addWords({ RemapUid: "--uidmap", RemapGid: "--gidmap" });
  } else if (users === "auto") {
    const size = conversion.quadlet.number(conversion.kind.section, "RemapUidSize") ?? 0;
    const maps = [...uids.map((map) => `uidmapping=${map}`), ...gids.map((map) => `gidmapping=${map}`)];
    addMode(command, users, [...maps, ...size > 0 ? [`size=${size}`] : []]);
  } else if (users === "keep-id") {
    if (uids.length > 1) throw conversion.fault("RemapUid", "keep-id takes one value");
    if (gids.length > 1) throw conversion.fault("RemapGid", "keep-id takes one value");
    addMode(command, users, [...uids.map((id) => `uid=${id}`), ...gids.map((id) => `gid=${id}`)]);
  } else {
    throw conversion.fault("RemapUsers", `"${users}" is none of manual, auto and keep-id`);
  }
}

function addMode(command: CommandLine, mode: string, options: string[]): void {
  command.add("--userns", options.length === 0 ? mode : `${mode}:${options.join(",")}`);
}

/** Settings of a service that runs as long as its containers do. */
export function setLongRunning(conversion: Conversion): { isOneshot: boolean } {
  const { service } = conversion;
  service.add("Service", "Environment", "PODMAN_SYSTEMD_UNIT=%n");
  const mode = service.value("Service", "KillMode");
  if (mode !== undefined && mode !== "mixed" && mode !== "control-group") {
    throw conversion.quadlet.fault("Service", "KillMode", `"${mode}" is neither mixed nor control-group`);
  }
  conversion.default("KillMode", "mixed");
  const type = service.value("Service", "Type");
  if (type !== undefined && type !== "notify" && type !== "oneshot") {
    throw conversion.quadlet.fault("Service", "Type", `"${type}" is neither notify nor oneshot`);
  }
  if (type !== "oneshot") {
    service.set("Service", "Type", "notify");
    service.set("Service", "NotifyAccess", "all");
  }
  conversion.default("SyslogIdentifier", "%N");
  return { isOneshot: type === "oneshot" };
}

/** Settings of a service that does one thing and is done. */
export function setOneshot(conversion: Conversion, { remains = true }: { remains?: boolean } = {}): void {
  conversion.default("SyslogIdentifier", "%N");
  conversion.default("Type", "oneshot");
  if (remains) conversion.default("RemainAfterExit", "yes");
}

/** Sets the working folder that `SetWorkingDirectory` asks for, and gives the context of a build where it says one. */
export function setWorkingFolder(conversion: Conversion, fileKey: "Yaml" | "File"): string | undefined {
  const key = "SetWorkingDirectory";
  const value = conversion.value(key);
  if (value === undefined) return undefined;
  const word = value.toLowerCase();
  const isContext = word !== "unit" && word !== fileKey.toLowerCase();
  if (isContext && fileKey === "Yaml") throw conversion.fault(key, `"${value}" is neither yaml nor unit`);
  if (isContext && (word === "yaml" || word === "file")) throw conversion.fault(key, `"${value}" is not for this kind`);
  let beside = ".";
  if (!isContext && word !== "unit") {
    const files = fileKey === "Yaml" ? conversion.words(fileKey) : [conversion.value(fileKey) ?? ""];
    if (files.length !== 1 || files[0] === "") throw conversion.fault(key, `"${value}" needs ${fileKey} with one file`);
    beside = files[0].replace(/[^/]*$/, "");
  }
  const isPlaced = isContext && (value.startsWith("/") || isAddress(value) || value.startsWith("%"));
  if (isPlaced) return value;
  // A working folder that the quadlet sets itself stands.
  if (conversion.quadlet.value("Service", "WorkingDirectory")) return undefined;
  const folder = conversion.path(beside === "" ? "." : beside);
  conversion.service.add("Service", "WorkingDirectory", folder.replace(/(.)\/+$/, "$1"));
  return isContext ? value : undefined;
}

/** Whether a text is an address of the network rather than a path. */
export function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|git:\/\/|github\.com\/)./.test(text);
}
