/**
 * The kernel's overlay: mounting, unmounting, and asking whether something is mounted.
 *
 * @module
 */
import { lstatSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { kernelOlderThan } from "../helpers/version_order.ts";
import { mount, unmount } from "../calls/libc.ts";
import { isRootless } from "../rootless/outer_user.ts";
import { removeFolder } from "../helpers/tree.ts";

/** mount(2) takes one page of options, its end marker included. */
const OPTIONS_LIMIT = 4095;
/** Has mount(8) of util-linux 2.40 and later hand all options to mount(2): the kernel's newer calls take 255 bytes of each. */
const WHOLE_OPTIONS = { LIBMOUNT_FORCE_MOUNT2: "always" };
/** Characters that no path named in the options may hold. */
const SEPARATORS = /[:,\\]/;

/** A tree to mount. Paths of layers are relative to `base`: short, and free of `:` and `,` whatever the root is called. */
export interface OverlayMount {
  base: string;
  /** From top to base. */
  lower: readonly string[];
  upper: string;
  work: string;
  /** Absolute. */
  target: string;
}

/** The option against upper folders that hold a file's metadata without its content. */
export const NO_METACOPY = "metacopy=off";

/**
 * The options that keep an upper folder a plain difference of its lower ones, for commit and export: no redirects, no
 * metadata-only copies. Only those this kernel knows.
 */
export async function overlayFeatures(): Promise<string[]> {
  const wanted = { redirect_dir: "redirect_dir=nofollow", metacopy: NO_METACOPY, index: "index=off" };
  const known = await Promise.all(
    Object.entries(wanted).map(async ([name, option]) => {
      const parameter = `/sys/module/overlay/parameters/${name}`;
      return await access(parameter).then(() => [option], () => []);
    }),
  );
  return [...known.flat(), ...attributeOptions()];
}

/** In a user namespace an overlay keeps its marks in attributes that a user may set: user namespaces have had `userxattr` since Linux 5.11. */
export function attributeOptions(): string[] {
  return isRootless() ? ["userxattr"] : [];
}

/** Whether this kernel knows overlays of which nothing waits for the disk: since Linux 5.10. */
export function hasVolatile(): boolean {
  return !kernelOlderThan("5.10");
}

/**
 * The option by which nothing that is synced waits for the disk; none where the kernel is older than it. The last mount with it left a mark in the work folder, which would forbid the next one and is
 * deleted.
 */
export async function volatileOption(work: string): Promise<string[]> {
  if (!hasVolatile()) return [];
  await removeFolder(join(work, "work", "incompat"));
  return ["volatile"];
}

/** Mounts an overlay. Throws `EngineError("limit")` when the layers do not fit the kernel's options. */
export async function mountOverlay(overlay: OverlayMount, features: readonly string[]): Promise<void> {
  const { base, target } = overlay;
  // The kernel is asked itself where full paths fit; else, and where it refuses, the program, which knows the folder and why.
  const full = SEPARATORS.test(base) ? undefined : optionsOf(overlay, features, (path) => join(base, path));
  if (full !== undefined && full.length <= OPTIONS_LIMIT && await mount("overlay", target, full)) return;
  const options = optionsOf(overlay, features, (path) => path);
  if (options.length > OPTIONS_LIMIT) {
    throw new EngineError(
      "limit",
      `Mount container tree: ${overlay.lower.length} layers are more than the kernel takes`,
    );
  }
  try {
    const args = ["-t", "overlay", "-o", `nodev,${options}`, "overlay", target];
    await runCommand("mount", args, { cwd: base, env: WHOLE_OPTIONS });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new EngineError("internal", `Mount container tree: ${error.message}`, { cause: error });
  }
}

function optionsOf(overlay: OverlayMount, features: readonly string[], path: (text: string) => string): string {
  return [
    `lowerdir=${overlay.lower.map(path).join(":")}`,
    `upperdir=${path(overlay.upper)}`,
    `workdir=${path(overlay.work)}`,
    ...features,
  ].join(",");
}

/** Whether something is mounted on a folder; false where there is no such folder. */
export function isMountPoint(path: string): boolean {
  // The kernel has both at hand: to wait for another thread's answer costs ten times what the question does.
  const here = lstatSync(path, { throwIfNoEntry: false });
  return here !== undefined && here.dev !== lstatSync(dirname(path)).dev;
}

/** Unmounts everything that is mounted on a folder; where it is busy, as soon as it no longer is. */
export async function unmountAll(path: string): Promise<void> {
  for (let attempt = 0; attempt < 16 && isMountPoint(path); attempt++) {
    if (await unmount(path)) continue;
    await runCommand("umount", ["--", path]).catch(async () => {
      if (isMountPoint(path)) await runCommand("umount", ["--lazy", "--", path]);
    });
  }
}
