import { MemoryStore } from "../../lib/platform/memory_store.ts";
import { testStore } from "./store_suite.ts";

testStore({
  name: "MemoryStore",
  open: () => Promise.resolve({ store: new MemoryStore(), [Symbol.asyncDispose]: () => Promise.resolve() }),
});
