import { hostCodec } from "../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../lib/platform/memory_blobs.ts";
import { testBlobs } from "./blobs_suite.ts";

testBlobs({
  name: "MemoryBlobs",
  open: () => Promise.resolve({ blobs: new MemoryBlobs(hostCodec()), [Symbol.asyncDispose]: () => Promise.resolve() }),
});
