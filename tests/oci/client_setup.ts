/**
 * What the tests of `RegistryClient` share.
 *
 * @module
 */
import { concat } from "../../lib/oci/bytes.ts";
import { FillReader } from "../../lib/oci/fill_reader.ts";
import { normalise } from "../../lib/oci/reference.ts";
import { parseRegistriesConf } from "../../lib/oci/registries_conf.ts";
import { RegistryClient } from "../../lib/oci/registry_client.ts";
import type { RegistryClientOptions } from "../../lib/oci/registry_sessions.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { hostNet } from "../../lib/platform/net.ts";
import { type BadRegistry, type Faults, startBadRegistry } from "../fixtures/bad_registry.ts";
import { buildImage, type BuiltImage } from "../fixtures/image_builder.ts";

/** Incompressible, so that the layer is as large as it says. */
const NOISE = new Uint8Array(3 * 1024 * 1024);
for (let at = 0, state = 7; at < NOISE.length; at++) NOISE[at] = (state = Math.imul(state, 1103515245) + 12345) >>> 16;
/** An image with one layer. */
export const IMAGE = buildImage({ layers: [{ entries: [{ type: "file", path: "noise", content: NOISE }] }] });
/** The layer's digest, bytes and descriptor. */
export const LAYER = IMAGE.layers[0].digest;
export const BLOB = IMAGE.blobs.get(LAYER) ?? new Uint8Array(0);
export const DESCRIPTOR = { digest: LAYER, size: BLOB.length };

/** A client that is quick to try again. */
export function client(conf: string, options: Partial<RegistryClientOptions> = {}): RegistryClient {
  const { hash } = hostCodec();
  return new RegistryClient(hostNet(), {
    conf: parseRegistriesConf(conf),
    hash,
    retryDelay: 1,
    timeout: 5_000,
    ...options,
  });
}

/** The stream whole. */
export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Runs against a registry with these faults. */
export async function withFaults(
  faults: Faults,
  run: (registry: BadRegistry) => Promise<void>,
  image: BuiltImage = IMAGE,
): Promise<void> {
  const registry = await startBadRegistry(image, faults);
  try {
    await run(registry);
  } finally {
    await registry.close();
  }
}

/** The image's name there. */
export function x(registry: { host: string }, suffix = ":latest") {
  return normalise(`${registry.host}/x${suffix}`);
}

/** A stream's bytes, read into one buffer of 100,000 bytes. */
export async function filledBytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = new FillReader(stream);
  const parts: Uint8Array[] = [];
  let buffer = new ArrayBuffer(100_000);
  for (;;) {
    const next = await reader.read(() => new Uint8Array(buffer));
    if (next.done) return concat(parts);
    parts.push(next.value.slice());
    if (reader.fills && next.value.buffer instanceof ArrayBuffer) buffer = next.value.buffer;
  }
}
