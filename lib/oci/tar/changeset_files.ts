import { decodeLatin1 } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";
import { applyRecords, kindOf } from "./layer_rewriter.ts";
import { rewriteTar } from "./layer_tar.ts";
import { writeHeader } from "./tar_header.ts";

/** An OCI changeset in, the same without its whiteouts out. The stream fails with `LayerError`. */
export function withoutWhiteouts(): ReadableWritablePair<Uint8Array, Uint8Array> {
  return rewriteTar({}, (limits, write) => {
    let entries = 0;
    return (raw, records, long) => {
      if (++entries > limits.entries) throw new LayerError("limit", `more than ${limits.entries} entries`);
      const { header, kept } = applyRecords(raw, records, long);
      const name = decodeLatin1(header.name).replace(/\/+$/, "");
      const size = kindOf(header.flag, decodeLatin1(header.name)) === "file" ? header.size : 0;
      if (name.slice(name.lastIndexOf("/") + 1).startsWith(".wh.")) return { size, keep: false };
      write(writeHeader({ ...header, size }, kept));
      return { size, keep: true };
    };
  });
}
