import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { testStore } from "../../fixtures/platform/store_suite.ts";

testStore({
  name: "MemoryStore",
  open: () => Promise.resolve({ store: new MemoryStore(), [Symbol.asyncDispose]: () => Promise.resolve() }),
});
