import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { normaliseReference } from "../../../lib/oci/reference.ts";
import { parseRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import type { RegistryClientOptions } from "../../../lib/oci/registry/registry_sessions.ts";
import { type BlobToWrite, RegistryWriter } from "../../../lib/oci/registry/registry_writer.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";
import { hostNet } from "../../../lib/platform/net.ts";
import { REGISTRY_USER, startRegistry } from "../../fixtures/images/registry.ts";
import { startUploadRegistry, type UploadFaults, type UploadRegistry } from "../../fixtures/images/upload_registry.ts";
import { BLOB, bytesOf, client, DESCRIPTOR, IMAGE } from "../../fixtures/images/client_setup.ts";

const CHUNK = 64 * 1024;

function writer(conf: string, options: Partial<RegistryClientOptions> = {}): RegistryWriter {
  const { hash } = hostCodec();
  return new RegistryWriter(hostNet(), {
    conf: parseRegistriesConf(conf),
    hash,
    retryDelay: 1,
    timeout: 5_000,
    ...options,
  });
}

/** The test blob; `opened` gets the offsets it was asked for. */
function blob(opened: number[] = []): BlobToWrite {
  return {
    ...DESCRIPTOR,
    open(offset) {
      opened.push(offset);
      let at = offset;
      return Promise.resolve(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            if (at >= BLOB.length) return controller.close();
            controller.enqueue(BLOB.subarray(at, at + CHUNK));
            at += CHUNK;
          },
        }, { highWaterMark: 0 }),
      );
    },
  };
}

async function withUploads(faults: UploadFaults, run: (registry: UploadRegistry) => Promise<void>): Promise<void> {
  const registry = await startUploadRegistry(faults);
  try {
    await run(registry);
  } finally {
    await registry.close();
  }
}

for (const setup of [{}, { auth: true }, { auth: true, tls: true }]) {
  Deno.test(`RegistryWriter.blob() sends once and mounts the rest, with docker-registry ${JSON.stringify(setup)}`, async () => {
    const registry = await startRegistry(setup);
    try {
      const conf = setup.tls ? "" : registry.registriesConf;
      const credentials = setup.auth ? () => REGISTRY_USER : undefined;
      const options = { credentials, tls: () => ({ ca: registry.ca }) };
      const target = normaliseReference(`${registry.host}/a/b:v1`);
      const other = normaliseReference(`${registry.host}/c/d:v1`);
      const registryWriter = writer(conf, options);
      const opened: number[] = [];
      assertEquals(await registryWriter.blob(target, blob(opened)), "sent");
      assertEquals(await registryWriter.blob(target, blob(opened)), "exists");
      assertEquals(await registryWriter.blob(other, { ...blob(opened), mountFrom: ["nowhere", "a/b"] }), "sent");
      const third = normaliseReference(`${registry.host}/e:v1`);
      assertEquals(await registryWriter.blob(third, { ...blob(opened), mountFrom: ["a/b"] }), "mounted");
      assertEquals(opened, [0, 0]);
      const small = IMAGE.blobs.get(`sha256:${IMAGE.id}`)!;
      const config = { digest: `sha256:${IMAGE.id}`, size: small.length };
      await registryWriter.blob(target, { ...config, open: () => Promise.resolve(new Blob([small.slice()]).stream()) });
      const { digest } = await registryWriter.manifest(target, { bytes: IMAGE.manifest, mediaType: IMAGE.mediaType });
      assertEquals(digest, IMAGE.digest);
      const reader = client(conf, options);
      assertEquals((await reader.manifest(target)).bytes, IMAGE.manifest);
      assertEquals(await bytesOf(await reader.blob(target, DESCRIPTOR)), BLOB);
    } finally {
      await registry.close();
    }
  });
}

Deno.test("RegistryWriter.blob() goes on after a cut from where the registry says", async () => {
  await withUploads({ cut: { after: 1_000_000, times: 2 } }, async (registry) => {
    const opened: number[] = [];
    assertEquals(
      await writer(registry.registriesConf).blob(normaliseReference(`${registry.host}/x`), blob(opened)),
      "sent",
    );
    assertEquals(opened, [0, 1_000_000, 2_000_000]);
    assertEquals(registry.blobs.get(DESCRIPTOR.digest), BLOB);
    assert(
      registry.requests.some((line) => line.endsWith(` 1000000-${BLOB.length - 1}`)),
      registry.requests.join("\n"),
    );
  });
});

Deno.test("RegistryWriter.blob() begins anew where the registry does not know how far it got", async () => {
  await withUploads({ cut: { after: 1_000_000, times: 1 }, forgetful: true, absolute: true }, async (registry) => {
    const opened: number[] = [];
    await writer(registry.registriesConf).blob(normaliseReference(`${registry.host}/x`), blob(opened));
    assertEquals(opened, [0, 0]);
    assertEquals(registry.blobs.get(DESCRIPTOR.digest), BLOB);
  });
});

Deno.test("RegistryWriter.blob() takes an end whose answer was lost for one", async () => {
  await withUploads({ loseEnd: true }, async (registry) => {
    const opened: number[] = [];
    assertEquals(
      await writer(registry.registriesConf).blob(normaliseReference(`${registry.host}/x`), blob(opened)),
      "sent",
    );
    assertEquals(opened, [0]);
  });
});

Deno.test("RegistryWriter.blob() waits for a busy registry, and gives up after its retries", async () => {
  await withUploads({ status: { method: "PATCH", code: 503, times: 2 } }, async (registry) => {
    await writer(registry.registriesConf).blob(normaliseReference(`${registry.host}/x`), blob());
    assertEquals(registry.blobs.size, 1);
  });
  await withUploads({ cut: { after: 10, times: 99 } }, async (registry) => {
    const failing = writer(registry.registriesConf, { retries: 2 }).blob(
      normaliseReference(`${registry.host}/x`),
      blob(),
    );
    assertEquals((await assertRejects(() => failing, RegistryError)).code, "unreachable");
    assertEquals(registry.requests.filter((line) => line.startsWith("PATCH")).length, 3);
  });
});

Deno.test("RegistryWriter stops at refusals, loops and other digests", async () => {
  const x = (registry: UploadRegistry) => normaliseReference(`${registry.host}/x:v1`);
  await withUploads({ status: { method: "POST", code: 403, times: 9 } }, async (registry) => {
    const error = await assertRejects(() => writer(registry.registriesConf).blob(x(registry), blob()), RegistryError);
    assertEquals(error.status, 403);
    assertStringIncludes(error.message, "initiating layer upload to /v2/x/blobs/uploads/");
    assertEquals(registry.requests.length, 3);
  });
  await withUploads({ loop: true }, async (registry) => {
    const error = await assertRejects(() => writer(registry.registriesConf).blob(x(registry), blob()), RegistryError);
    assertStringIncludes(error.message, "stopped after 10 redirects");
  });
  await withUploads({ digestHeader: `sha256:${"0".repeat(64)}` }, async (registry) => {
    const document = { bytes: IMAGE.manifest, mediaType: IMAGE.mediaType };
    const failing = () => writer(registry.registriesConf).manifest(x(registry), document);
    assertEquals((await assertRejects(failing, RegistryError)).code, "corrupt");
  });
});

Deno.test("RegistryWriter asks the token server for what it is about to do, and for the repository it mounts from", async () => {
  await withUploads({ bearer: true }, async (registry) => {
    const bearer = writer(registry.registriesConf, { credentials: () => REGISTRY_USER });
    const [x, y] = ["x", "team/y"].map((name) => normaliseReference(`${registry.host}/${name}:1`));
    assertEquals(await bearer.blob(x, blob()), "sent");
    assertEquals(await bearer.blob(y, { ...blob(), mountFrom: ["x"] }), "mounted");
    await bearer.manifest(y, { bytes: IMAGE.manifest, mediaType: IMAGE.mediaType });
    const scopes = registry.requests.filter((line) => line.startsWith("GET /token"))
      .map((line) => new URL(line.slice(4), "http://registry").searchParams.getAll("scope"));
    assertEquals(scopes, [
      ["repository:x:pull,push"],
      ["repository:team/y:pull,push"],
      ["repository:team/y:pull,push", "repository:x:pull"],
    ]);
  });
});

Deno.test("RegistryWriter writes to no blocked registry, and stops when told to", async () => {
  const blocked = writer('[[registry]]\nlocation = "shut.example"\nblocked = true\n');
  const error = await assertRejects(() => blocked.blob(normaliseReference("shut.example/x"), blob()), RegistryError);
  assertEquals(error.code, "blocked");
  await withUploads({}, async (registry) => {
    const stop = new AbortController();
    const slow: BlobToWrite = {
      ...DESCRIPTOR,
      signal: stop.signal,
      open: () => Promise.resolve(new ReadableStream({ start: () => stop.abort(new Error("enough")) })),
    };
    await assertRejects(
      () => writer(registry.registriesConf).blob(normaliseReference(`${registry.host}/x`), slow),
      Error,
      "enough",
    );
  });
});
