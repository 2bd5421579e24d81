import { hostCodec } from "../../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../../lib/platform/storage/memory_blobs.ts";
import { testBlobs } from "../../fixtures/platform/blobs_suite.ts";

testBlobs({
  name: "MemoryBlobs",
  open: () => Promise.resolve({ blobs: new MemoryBlobs(hostCodec()), [Symbol.asyncDispose]: () => Promise.resolve() }),
});
