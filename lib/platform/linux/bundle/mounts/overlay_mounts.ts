import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import type { MountSpec } from "../../../../engine/records/mount_spec.ts";
import { attributeOptions, mountOverlay, unmountAll } from "../../mounts/overlay.ts";
import { removeFolder } from "../../helpers/tree.ts";
import { bindMount } from "./bind_mounts.ts";
import type { SpecMount } from "../spec_types.ts";

/** Characters that the options of an overlay cannot hold in a path. */
const SEPARATORS = /[:,\\]/;

/** Options by which a caller may restrict the container in an overlay. */
const LIMITS = new Set(["ro", "nosuid", "noexec"]);

/** The parts of an overlay. */
export interface OverlayParts {
  /** The folder it shows. */
  source: string;
  /** A folder of the container's own for its changes. */
  changes: string;
  /** The owner of the changes; that of `source` where absent. */
  owner?: { uid: number; gid: number };
  /** Whether the runtime may mount it: not in a user namespace of the container's own. */
  byRuntime: boolean;
}

/**
 * An overlay over a folder of the host. Where the runtime mounts it, it is gone with the container's mounts; else it is
 * mounted below `changes`, and goes with the container's tree. Changes begin anew
 * with each start, unless the user names a folder for them (`upperdir=` with `workdir=`).
 */
export async function overlayMount(mount: MountSpec, parts: OverlayParts): Promise<SpecMount> {
  const { source, changes, owner, byRuntime } = parts;
  const target = join(changes, "merged");
  await unmountAll(target);
  const value = (name: string) => {
    return mount.options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);
  };
  let [upper, work] = [value("upperdir"), value("workdir")];
  if ((upper === undefined) !== (work === undefined)) {
    throw new EngineError("invalid", "cannot specify one without the other: upperdir and workdir of an overlay volume");
  }
  if (upper === undefined || work === undefined) {
    await removeFolder(changes);
    [upper, work] = [join(changes, "upper"), join(changes, "work")];
    await mkdir(work, { recursive: true, mode: 0o700 });
    await mkdir(upper, { mode: 0o755 });
    // The mount shows the upper folder: give it the owner and mode of the folder it covers.
    const facts = await stat(source);
    await chmod(upper, facts.mode & 0o7777);
    await chown(upper, owner?.uid ?? facts.uid, owner?.gid ?? facts.gid);
  }
  const limits = mount.options.filter((option) => LIMITS.has(option));
  const broken = [source, upper, work].find((path) => SEPARATORS.test(path));
  if (broken !== undefined) {
    throw new EngineError("invalid", `Mount overlay volume: "${broken}" has a colon, a comma or a backslash`);
  }
  if (!byRuntime) {
    await mkdir(target, { recursive: true, mode: 0o700 });
    await mountOverlay({ base: "/", lower: [source], upper, work, target }, attributeOptions());
    return bindMount(mount.destination, { source: target, kind: "overlay" }, limits);
  }
  const options = [
    `lowerdir=${source}`,
    `upperdir=${upper}`,
    `workdir=${work}`,
    "private",
    ...limits,
    "nodev",
    ...attributeOptions(),
  ];
  return { destination: mount.destination, type: "overlay", source: "overlay", options };
}
