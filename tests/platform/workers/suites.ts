/** What runs inside workerd: the suites of stores and blobs, and the codec. */
import { suiteEntry, suiteObject } from "../../fixtures/suite_worker.ts";
import { workersCodec } from "../../../lib/platform/workers/codec.ts";
import { SQLChunks } from "../../../lib/platform/workers/chunks.ts";
import { DurableBlobs } from "../../../lib/platform/workers/durable_blobs.ts";
import { DurableStore } from "../../../lib/platform/workers/durable_store.ts";
import { R2Chunks } from "../../../lib/platform/workers/r2_chunks.ts";
import type { DurableObjectState, R2Bucket } from "../../../lib/platform/workers/runtime.ts";
import { testBlobs } from "../../fixtures/platform/blobs_suite.ts";
import { testStore } from "../../fixtures/platform/store_suite.ts";
import { testCodec } from "./codec_cases.ts";

export const Suite = suiteObject((state, { BLOBS }: { BLOBS: R2Bucket }) => {
  testStore({
    name: "DurableStore",
    open: () => {
      empty(state, "records", "streams", "stream_ends");
      const store = new DurableStore(state);
      const reopen = () => Promise.resolve(new DurableStore(state));
      return Promise.resolve({ store, reopen, [Symbol.asyncDispose]: () => store.close() });
    },
  });
  const sql = () => {
    empty(state, "chunks");
    return new SQLChunks(state);
  };
  for (const [name, chunks] of [["SQLChunks", sql], ["R2Chunks", () => new R2Chunks(BLOBS, 100_000)]] as const) {
    testBlobs({
      name: `DurableBlobs with ${name}`,
      async open() {
        empty(state, "parts");
        const blobs = await DurableBlobs.open(state, workersCodec(), chunks());
        return { blobs, [Symbol.asyncDispose]: () => Promise.resolve() };
      },
    });
  }
  testCodec(workersCodec());
});

export default suiteEntry;

function empty({ storage }: DurableObjectState, ...tables: string[]): void {
  for (const table of tables) storage.sql.exec(`DROP TABLE IF EXISTS ${table}`);
}
