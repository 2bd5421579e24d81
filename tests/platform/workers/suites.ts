/** What runs inside workerd: the suites of stores and blobs, and the codec. */
import { suiteEntry, suiteObject } from "../../fixtures/suite_worker.ts";
import { workersCodec } from "../../../lib/platform/workers/codec.ts";
import { DurableBlobs } from "../../../lib/platform/workers/durable_blobs.ts";
import { DurableStore } from "../../../lib/platform/workers/durable_store.ts";
import type { DurableObjectState } from "../../../lib/platform/workers/runtime.ts";
import { testBlobs } from "../blobs_suite.ts";
import { testStore } from "../store_suite.ts";
import { testCodec } from "./codec_cases.ts";

export const Suite = suiteObject((state) => {
  testStore({
    name: "DurableStore",
    open: () => {
      empty(state, "records", "streams", "stream_ends");
      const store = new DurableStore(state);
      const reopen = () => Promise.resolve(new DurableStore(state));
      return Promise.resolve({ store, reopen, [Symbol.asyncDispose]: () => store.close() });
    },
  });
  testBlobs({
    name: "DurableBlobs",
    open: () => {
      empty(state, "parts", "chunks");
      const blobs = new DurableBlobs(state, workersCodec());
      return Promise.resolve({ blobs, [Symbol.asyncDispose]: () => Promise.resolve() });
    },
  });
  testCodec(workersCodec());
});

export default suiteEntry;

function empty({ storage }: DurableObjectState, ...tables: string[]): void {
  for (const table of tables) storage.sql.exec(`DROP TABLE IF EXISTS ${table}`);
}
