import { assertEquals } from "@std/assert";
import { DEFAULT_NETWORK, DEFAULT_NETWORK_ID } from "../../lib/engine/networks.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { openFake } from "../fixtures/engine/fake_engine.ts";

Deno.test("Networks.ensureDefault() gives the default network the ID it has everywhere", async () => {
  const hash = hostCodec().hash();
  hash.update(new TextEncoder().encode(DEFAULT_NETWORK));
  assertEquals(await hash.digest(), `sha256:${DEFAULT_NETWORK_ID}`);
  await using engine = await openFake();
  assertEquals((await engine.networks.ensureDefault()).id, DEFAULT_NETWORK_ID);
});
