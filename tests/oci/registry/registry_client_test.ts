import { assert, assertEquals, assertGreater, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { parseManifest } from "../../../lib/oci/manifest.ts";
import { normaliseReference } from "../../../lib/oci/reference.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import { buildImage, buildIndex, pushImage, sha256 } from "../../fixtures/images/image_builder.ts";
import { freePort, REGISTRY_USER, startRegistry } from "../../fixtures/images/registry.ts";
import { BLOB, bytesOf, client, DESCRIPTOR, IMAGE, LAYER, withFaults, x } from "../../fixtures/images/client_setup.ts";

Deno.test("RegistryClient reads an image from docker-registry, by tag and by digest", async () => {
  const registry = await startRegistry();
  try {
    const index = buildIndex([IMAGE, buildImage({ layers: [], architecture: "s390x" })]);
    await pushImage(registry.url, "deep/name:v1", index);
    const registryClient = client(registry.registriesConf);
    const top = await registryClient.manifest(normaliseReference(`${registry.host}/deep/name:v1`));
    assertEquals([top.digest, top.mediaType], [index.digest, index.mediaType]);
    const parsed = parseManifest(top.bytes, top.mediaType);
    assert(parsed.kind === "index");
    const reference = normaliseReference(`${registry.host}/deep/name@${parsed.manifests[0].digest}`);
    assertEquals((await registryClient.manifest(reference)).bytes, IMAGE.manifest);
    assertEquals(await bytesOf(await registryClient.blob(reference, DESCRIPTOR)), BLOB);
    assertEquals(
      await bytesOf(await registryClient.blob(reference, DESCRIPTOR, { offset: 1000 })),
      BLOB.subarray(1000),
    );
    assertEquals(await registryClient.tags(reference), ["v1"]);
    const missing = await assertRejects(
      () => registryClient.manifest(normaliseReference(`${registry.host}/deep/name:v2`)),
      RegistryError,
    );
    assertEquals([missing.status, missing.code], [404, "MANIFEST_UNKNOWN"]);
    assertEquals(missing.message, `reading manifest v2 in ${registry.host}/deep/name: manifest unknown`);
  } finally {
    await registry.close();
  }
});

Deno.test("RegistryClient gives Basic credentials to docker-registry, and says who may not come in", async () => {
  const registry = await startRegistry({ auth: true });
  try {
    await pushImage(registry.url, "x:latest", IMAGE, registry.authorization);
    const asked: string[] = [];
    const credentials = (host: string, path: string) => {
      asked.push(`${host} ${path}`);
      return REGISTRY_USER;
    };
    assertEquals((await client(registry.registriesConf, { credentials }).manifest(x(registry))).digest, IMAGE.digest);
    assertEquals(asked, [`${registry.host} x`]);
    const wrong = { credentials: () => ({ ...REGISTRY_USER, password: "wrong" }) };
    for (const options of [{}, wrong]) {
      const error = await assertRejects(
        () => client(registry.registriesConf, options).manifest(x(registry)),
        RegistryError,
      );
      assertEquals([error.status, error.code], [401, "UNAUTHORIZED"]);
      assertStringIncludes(error.message, "authentication required");
    }
  } finally {
    await registry.close();
  }
});

Deno.test("RegistryClient reaches HTTPS registries by their CA, or when marked insecure, and no others", async () => {
  const registry = await startRegistry({ tls: true });
  try {
    const secure = `[[registry]]\nlocation = "${registry.host}"\n`;
    const error = await assertRejects(() => client(secure).manifest(x(registry)), RegistryError);
    assertEquals([error.status, error.code], [0, "unreachable"]);
    assertMatch(error.message, /^pinging container registry 127.0.0.1:\d+: Get "https:.*certificate/);
    for (const options of [{ tls: () => ({ ca: registry.ca }) }, { tlsVerify: false }]) {
      const unknown = await assertRejects(() => client(secure, options).manifest(x(registry)), RegistryError);
      assertEquals(unknown.code, "MANIFEST_UNKNOWN");
    }
    assertEquals(
      (await assertRejects(() => client(registry.registriesConf).manifest(x(registry)), RegistryError)).status,
      404,
    );
    const verified = client(registry.registriesConf, { tlsVerify: true });
    assertEquals((await assertRejects(() => verified.manifest(x(registry)), RegistryError)).status, 0);
  } finally {
    await registry.close();
  }
});

Deno.test("RegistryClient does not fall back to plain HTTP where that is not allowed", async () => {
  await withFaults({}, async (registry) => {
    const error = await assertRejects(() => client("").manifest(x(registry)), RegistryError);
    assertStringIncludes(error.message, "http: server gave HTTP response to HTTPS client");
    assertEquals(registry.requests.length, 0);
  });
});

Deno.test("RegistryClient says at once when nobody listens", async () => {
  const host = `127.0.0.1:${await freePort()}`;
  const conf = `[[registry]]\nlocation = "${host}"\ninsecure = true\n`;
  const error = await assertRejects(() => client(conf, { retryDelay: 60_000 }).manifest(x({ host })), RegistryError);
  assertEquals(
    error.message,
    `pinging container registry ${host}: Get "http://${host}/v2/": dial tcp ${host}: connect: connection refused`,
  );
});

Deno.test("RegistryClient tries mirrors first, keeps to the one that had the image, and the registry last", async () => {
  await withFaults({}, async (mirror) => {
    await withFaults({ status: { of: "manifest", code: 404 } }, async (empty) => {
      await withFaults({}, async (origin) => {
        const table = (location: string) => `[[registry.mirror]]\nlocation = "${location}"\ninsecure = true\n`;
        const head = `[[registry]]\nprefix = "example.com/a"\nlocation = "${origin.host}/b"\ninsecure = true\n`;
        const reference = normaliseReference("example.com/a/x:1");
        const mirrored = client(head + table(`${empty.host}/e`) + table(`${mirror.host}/m`));
        await mirrored.manifest(reference);
        await bytesOf(await mirrored.blob(reference, DESCRIPTOR));
        assertEquals(empty.requests.map(({ url }) => url), ["/v2/", "/v2/e/x/manifests/1"]);
        assertEquals(mirror.requests.map(({ url }) => url), ["/v2/", "/v2/m/x/manifests/1", `/v2/m/x/blobs/${LAYER}`]);
        assertEquals(origin.requests, []);
        await client(head + table(`${empty.host}/e`)).manifest(reference);
        assertEquals(origin.requests.at(-1)?.url, "/v2/b/x/manifests/1");
      });
      const none =
        `[[registry]]\nlocation = "${empty.host}"\ninsecure = true\n[[registry.mirror]]\nlocation = "${empty.host}/m"\ninsecure = true\n`;
      const error = await assertRejects(() => client(none).manifest(x(empty)), RegistryError, "Mirrors also failed");
      assertEquals(error.status, 404);
    });
  });
});

Deno.test("RegistryClient refuses a blocked registry without asking it", async () => {
  await withFaults({}, async (registry) => {
    const conf = `[[registry]]\nlocation = "${registry.host}"\nblocked = true\n`;
    const error = await assertRejects(() => client(conf).manifest(x(registry)), RegistryError, "is blocked in");
    assertEquals([error.code, registry.requests.length], ["blocked", 0]);
  });
});

Deno.test("RegistryClient gets bearer tokens, keeps them, and gets new ones when refused", async () => {
  await withFaults({ bearer: { user: { username: "u", password: "p" } } }, async (registry) => {
    const registryClient = client(registry.registriesConf, {
      credentials: () => ({ username: "u", password: "wrong" }),
    });
    const error = await assertRejects(() => registryClient.manifest(x(registry)), RegistryError);
    assertEquals([error.status, error.code], [401, "UNKNOWN"]);
    const why = "unable to retrieve auth token: invalid username/password: unknown: incorrect username or password";
    assertEquals(error.message, why);
  });
  await withFaults({ bearer: { user: { username: "u", password: "p" }, uses: 2 } }, async (registry) => {
    const registryClient = client(registry.registriesConf, { credentials: () => ({ username: "u", password: "p" }) });
    await registryClient.manifest(x(registry));
    for (let i = 0; i < 4; i++) await bytesOf(await registryClient.blob(x(registry), DESCRIPTOR));
    const tokens = registry.requests.filter(({ kind }) => kind === "token");
    assertEquals(tokens.length, 3);
    const query = new URL(tokens[0].url, registry.url).searchParams;
    assertEquals([query.get("service"), query.get("scope"), query.get("account")], [
      'bad, "really"',
      "repository:x:pull",
      "u",
    ]);
  });
  await withFaults({ bearer: {} }, async (registry) => {
    await client(registry.registriesConf).manifest(x(registry));
    const token = registry.requests.find(({ kind }) => kind === "token");
    assertEquals(token?.headers.authorization, undefined);
  });
  await withFaults({ bearer: { openRoot: true } }, async (registry) => {
    assertEquals((await client(registry.registriesConf).manifest(x(registry))).digest, IMAGE.digest);
  });
  await withFaults({ bearer: { refreshToken: "again" } }, async (registry) => {
    await client(registry.registriesConf, { credentials: () => ({ identityToken: "again" }) }).manifest(x(registry));
  });
  await withFaults({ bearer: { uses: 0 } }, async (registry) => {
    const error = await assertRejects(() => client(registry.registriesConf).manifest(x(registry)), RegistryError);
    assertEquals(error.status, 401);
    assert(registry.requests.length < 8);
  });
});

for (const answer of ["", "{}", "[]", '{"token":5}', '{"token":"a\\nb"}', "x".repeat(2 ** 21)]) {
  Deno.test(`RegistryClient refuses the token answer ${answer.slice(0, 20)}`, async () => {
    await withFaults({ bearer: { answer } }, async (registry) => {
      await assertRejects(() => client(registry.registriesConf).manifest(x(registry)), Error);
    });
  });
}

Deno.test("RegistryClient gives no credentials to where a redirect leads", async () => {
  await withFaults({}, async (store) => {
    const basic = { username: "u", password: "p" };
    await withFaults({ basic, redirectBlobs: store.url }, async (registry) => {
      const registryClient = client(registry.registriesConf, { credentials: () => basic });
      const stream = await registryClient.blob(x(registry), DESCRIPTOR, { offset: 5 });
      assertEquals(await bytesOf(stream), BLOB.subarray(5));
      assertEquals(registry.requests.at(-1)?.headers.authorization, `Basic ${btoa("u:p")}`);
      const [led] = store.requests;
      assertEquals([led.headers.authorization, led.headers.range], [undefined, "bytes=5-"]);
    });
  });
});

Deno.test("RegistryClient gives up on redirects that go round or elsewhere", async () => {
  for (const faults of [{ loop: true }, { redirectBlobs: "file:///etc/passwd?" }, { redirectBlobs: "http://[" }]) {
    await withFaults(faults, async (registry) => {
      const error = await assertRejects(
        () => client(registry.registriesConf).blob(x(registry), DESCRIPTOR),
        RegistryError,
        "redirect",
      );
      assertEquals(error.code, "protocol");
      assert(registry.requests.length < 20);
    });
  }
});

Deno.test("RegistryClient verifies a manifest asked for by digest", async () => {
  await withFaults({}, async (registry) => {
    const other = x(registry, `@sha256:${"0".repeat(64)}`);
    const error = await assertRejects(() => client(registry.registriesConf).manifest(other), RegistryError);
    assertEquals(error.code, "corrupt");
  });
});

Deno.test("RegistryClient.blobBytes() verifies size and digest, and keeps to its limit", async () => {
  const config = { digest: `sha256:${IMAGE.id}`, size: IMAGE.blobs.get(`sha256:${IMAGE.id}`)?.length ?? 0 };
  await withFaults({}, async (registry) => {
    const registryClient = client(registry.registriesConf);
    assertEquals(sha256(await registryClient.blobBytes(x(registry), config)), config.digest);
    const error = await assertRejects(() => registryClient.blobBytes(x(registry), config, { limit: 5 }), RegistryError);
    assertEquals(error.code, "limit");
  });
  await withFaults({ alterBlob: (bytes) => bytes.map((byte) => byte ^ 1) }, async (registry) => {
    const error = await assertRejects(
      () => client(registry.registriesConf).blobBytes(x(registry), config),
      RegistryError,
    );
    assertEquals(error.code, "corrupt");
  });
});

Deno.test("RegistryClient.tags() follows pages, and stops with those that lead round or away", async () => {
  const names = Array.from({ length: 25 }, (_, i) => `v${i}`);
  await withFaults({ tags: { names: [...names, "not a tag"], pageSize: 10 } }, async (registry) => {
    assertEquals(await client(registry.registriesConf).tags(x(registry)), names);
  });
  await withFaults({ tags: { names, pageSize: 10, link: () => "/v2/x/tags/list?n=1" } }, async (registry) => {
    await assertRejects(() => client(registry.registriesConf).tags(x(registry)), RegistryError, "too many");
  });
  for (const link of ["http://example.com/v2/y/tags/list", "/etc/passwd", "http://["]) {
    await withFaults({ tags: { names, pageSize: 10, link: () => link } }, async (registry) => {
      assertEquals((await client(registry.registriesConf).tags(x(registry))).length, 10);
    });
  }
});

Deno.test("RegistryClient stops when its caller does", async () => {
  await withFaults({ slow: { bytes: 1000, ms: 20 } }, async (registry) => {
    const stop = new AbortController();
    const stream = await client(registry.registriesConf).blob(x(registry), DESCRIPTOR, { signal: stop.signal });
    const reader = stream.getReader();
    await reader.read();
    stop.abort(new Error("enough"));
    await assertRejects(
      async () => {
        while (!(await reader.read()).done);
      },
      Error,
      "enough",
    );
    assertGreater(registry.requests.length, 1);
  });
  await withFaults({ status: { of: "manifest", code: 503, headers: { "retry-after": "50" } } }, async (registry) => {
    const { signal } = new AbortController();
    const both = AbortSignal.any([signal, AbortSignal.timeout(50)]);
    await assertRejects(() => client(registry.registriesConf).manifest(x(registry), { signal: both }), DOMException);
  });
});

Deno.test("RegistryClient waits a minute at most, whatever a registry wants to be waited for", async () => {
  for (const after of ["99999999999999999999", "1e9", "Fri, 31 Dec 9999 23:59:59 GMT", "-5", "x"]) {
    const status = { of: "blob", code: 429, times: 2, headers: { "retry-after": after } } as const;
    await withFaults({ status }, async (registry) => {
      const pauses: number[] = [];
      const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
      const registryClient = client(registry.registriesConf, { sleep });
      assertEquals(await bytesOf(await registryClient.blob(x(registry), DESCRIPTOR)), BLOB);
      assertEquals(pauses.length, 2);
      assert(pauses.every((pause) => pause >= 0 && pause <= 60_000), `${after}: ${pauses}`);
    });
  }
});
