import { assert, assertEquals, assertRejects } from "@std/assert";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import type { Faults } from "../../fixtures/images/bad_registry.ts";
import { sha256 } from "../../fixtures/images/image_builder.ts";
import { concat } from "../../fixtures/images/tar_builder.ts";
import {
  BLOB,
  bytesOf,
  client,
  DESCRIPTOR,
  filledBytesOf,
  IMAGE,
  LAYER,
  withFaults,
  x,
} from "../../fixtures/images/client_setup.ts";

const SURVIVED: [string, Faults][] = [
  ["busy for a while", { status: { of: "blob", code: 503, times: 2 } }],
  ["that wants a pause", { status: { of: "blob", code: 429, times: 2, headers: { "retry-after": "0" } } }],
  ["that cuts the connection", { cut: { after: 1_200_000, times: 5 } }],
  ["that cuts the connection and knows no ranges", { cut: { after: 1_200_000, times: 3 }, ignoreRange: true }],
  ["that cuts chunked answers", { cut: { after: 700_000, times: 2 }, chunked: true }],
  ["that falls silent", { stall: 1 }],
  ["that is slow", { slow: { bytes: 512 * 1024, ms: 5 } }],
  ["that cuts manifests", { cutManifest: 2 }],
];

for (const [what, faults] of SURVIVED) {
  Deno.test(`RegistryClient gets a blob whole from a registry ${what}`, async () => {
    await withFaults(faults, async (registry) => {
      const registryClient = client(registry.registriesConf, { timeout: 300 });
      assertEquals((await registryClient.manifest(x(registry))).digest, IMAGE.digest);
      assertEquals(sha256(await bytesOf(await registryClient.blob(x(registry), DESCRIPTOR))), LAYER);
      const begun = await registryClient.blob(x(registry), DESCRIPTOR, { offset: 2_000_000 });
      assertEquals(await bytesOf(begun), BLOB.subarray(2_000_000));
    });
    // And once more for a reader that brings its buffer.
    await withFaults(faults, async (registry) => {
      const registryClient = client(registry.registriesConf, { timeout: 300 });
      assertEquals(sha256(await filledBytesOf(await registryClient.blob(x(registry), DESCRIPTOR))), LAYER);
      const begun = await registryClient.blob(x(registry), DESCRIPTOR, { offset: 2_000_000 });
      assertEquals(await filledBytesOf(begun), BLOB.subarray(2_000_000));
    });
  });
}

const REFUSED: [string, string, Faults][] = [
  ["always cuts", "unreachable", { cut: { after: 1000 } }],
  ["always falls silent", "unreachable", { stall: 1e9 }],
  ["sends too much", "corrupt", { alterBlob: (bytes) => concat([bytes, bytes]) }],
  ["sends too much, without saying", "corrupt", { alterBlob: (bytes) => concat([bytes, bytes]), chunked: true }],
  ["sends too little", "corrupt", { alterBlob: (bytes) => bytes.subarray(9) }],
  ["sends too little, without saying", "corrupt", { alterBlob: (bytes) => bytes.subarray(9), chunked: true }],
  ["sends nothing", "corrupt", { alterBlob: () => new Uint8Array(0), chunked: true }],
  ["resumes elsewhere", "protocol", { cut: { after: 1000, times: 1 }, contentRange: "bytes 0-5/6" }],
  ["resumes something else", "corrupt", { cut: { after: 1000, times: 1 }, contentRange: "bytes 1000-5/6" }],
  ["has no such blob", "http", { status: { of: "blob", code: 404, body: "<html>" } }],
  ["fails", "http", { status: { of: "blob", code: 500 } }],
  ["forbids", "DENIED", { status: { of: "blob", code: 403, body: '{"errors":[{"code":"DENIED"}]}' } }],
];

for (const [what, code, faults] of REFUSED) {
  Deno.test(`RegistryClient refuses a blob of a registry that ${what}`, async () => {
    for (const bytes of [bytesOf, filledBytesOf]) {
      await withFaults(faults, async (registry) => {
        // Only silence is waited for: on a loaded machine bytes take their time.
        const registryClient = client(registry.registriesConf, { timeout: faults.stall ? 100 : 10_000 });
        const read = async () => await bytes(await registryClient.blob(x(registry), DESCRIPTOR));
        assertEquals((await assertRejects(read, RegistryError)).code, code);
        assert(registry.requests.length < 12);
      });
    }
  });
}

const BAD_MANIFESTS: [string, string, number, string, Faults][] = [
  ["401", "UNAUTHORIZED", 401, "authentication required", { status: { of: "manifest", code: 401, body: "no" } }],
  ["404", "http", 404, 'StatusCode: 404, "<html>"', { status: { of: "manifest", code: 404, body: "<html>" } }],
  ["500", "http", 500, "received unexpected HTTP status: 500 Internal Server Error", {
    status: { of: "manifest", code: 500 },
  }],
  ["500 at its root", "http", 500, "pinging container registry", { status: { of: "ping", code: 500 } }],
  ["404 at its root", "http", 404, "pinging container registry", { status: { of: "ping", code: 404 } }],
  ["NAME_UNKNOWN", "NAME_UNKNOWN", 404, "repository name not known to registry", {
    status: {
      of: "manifest",
      code: 404,
      body: '{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}',
    },
  }],
  ["another digest's content", "corrupt", 0, "does not match", { digestHeader: `sha256:${"0".repeat(64)}` }],
  ["5 MiB", "limit", 0, "larger than", { alterManifest: () => new Uint8Array(5 * 1024 * 1024).fill(32) }],
  ["cuts only", "unreachable", 0, "reading manifest", { cutManifest: 1e9 }],
];

for (const [what, code, status, text, faults] of BAD_MANIFESTS) {
  Deno.test(`RegistryClient refuses a manifest when the registry answers ${what}`, async () => {
    await withFaults(faults, async (registry) => {
      const error = await assertRejects(
        () => client(registry.registriesConf).manifest(x(registry)),
        RegistryError,
        text,
      );
      assertEquals([error.code, error.status], [code, status]);
      assert(registry.requests.length < 12);
    });
  });
}
