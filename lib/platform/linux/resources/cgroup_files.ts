import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Reads the files of one cgroup. A file that is not there reads as `undefined`. */
export class CgroupFiles {
  /** @param folder The cgroup's folder below a hierarchy's mount point */
  constructor(readonly folder: string) {}

  async text(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.folder, name), "utf8");
    } catch (error) {
      // ENODEV: the cgroup is being removed.
      if (hasSystemCode(error, "ENOENT", "ENODEV", "EOPNOTSUPP")) return undefined;
      throw error;
    }
  }

  /** A file of one number; `max` is `Infinity`. */
  async number(name: string): Promise<number | undefined> {
    const text = (await this.text(name))?.trim();
    return text === undefined || text === "" ? undefined : text === "max" ? Infinity : Number(text);
  }

  /** A file of lines `name value`. */
  async table(name: string): Promise<Record<string, number> | undefined> {
    const text = await this.text(name);
    if (text === undefined) return undefined;
    const lines = text.split("\n").map((line) => line.split(" ")).filter((words) => words.length === 2);
    return Object.fromEntries(lines.map(([key, value]) => [key, Number(value)]));
  }
}
