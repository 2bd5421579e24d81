import type { TreeLimit } from "../../records/limits.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { invalidField } from "../failures.ts";

/**
 * Reads the storage options of a create request: `size` (`10g`, in steps of 1024) and `inodes`, of what the container writes;
 * `undefined` without any. Throws `invalid`, naming the field `treeLimit`.
 *
 * Source: `parseStorageOpt` of the overlay driver of containers/storage.
 */
export function parseTreeLimit(options: Readonly<Record<string, string>> = {}): TreeLimit | undefined {
  const limit: TreeLimit = {};
  for (const [key, text] of Object.entries(options)) {
    // The name is a client's: `constructor` is in every object.
    const name = key.toLowerCase();
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (read === undefined) throw invalidField("treeLimit", (name) => `unknown option ${key} in "${name}"`);
    try {
      Object.assign(limit, read(text));
    } catch (error) {
      throw invalidField("treeLimit", (name) => `"${name}" ${key}: ${messageOf(error)}`);
    }
  }
  return limit.size || limit.inodes ? limit : undefined;
}

/** The reader of each option's text; 0 is no limit. */
const READERS: Readonly<Record<string, (text: string) => TreeLimit>> = {
  size: (text) => ({ size: parseByteSize(text) }),
  inodes: (text) => {
    if (!/^[0-9]{1,15}$/.test(text)) throw new RangeError(`"${text}" is no number of files`);
    return { inodes: Number(text) };
  },
};
