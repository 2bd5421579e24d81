import type { Context } from "../context.ts";

/** The folders of the host that containers may write to, those of containers that do not run included: they did, or will. */
export function foldersWritten({ records }: Context): string[] {
  return records.all().flatMap(({ mounts, spec: { rootfs } }) => [
    ...mounts.filter(({ type, options }) => type === "bind" && !options.includes("ro")).map(({ source }) => source),
    ...rootfs !== undefined && !rootfs.overlay ? [rootfs.path] : [],
  ]);
}
