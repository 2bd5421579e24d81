import { assertEquals, assertRejects } from "@std/assert";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { MANIFEST_LIMITS } from "../../../lib/oci/manifest.ts";
import { normaliseReference } from "../../../lib/oci/reference.ts";
import {
  isLoopback,
  isLoopbackRegistry,
  isTrustedRealm,
  readTarget,
} from "../../../lib/oci/registry/registry_trust.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import { parseRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { RegistryClient } from "../../../lib/oci/registry/registry_client.ts";
import { RegistryWriter } from "../../../lib/oci/registry/registry_writer.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";
import { refusal, registry, RegistryWorld } from "../../fixtures/images/registry_world.ts";
import { registriesConf } from "../../fixtures/images/registry.ts";
import { bytesOf, client, DESCRIPTOR, IMAGE } from "../../fixtures/images/client_setup.ts";

const INTERNAL = [
  "127.0.0.1",
  "127.9.9.9",
  "0.0.0.0",
  "0",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::169.254.169.254]",
  "169.254.169.254",
  "[::ffff:169.254.169.254]",
  "[fe80::1]",
];

Deno.test("readTarget() leads from elsewhere to no address of this machine or its link, in any spelling", () => {
  for (const host of INTERNAL) {
    for (const from of ["http://registry.example/v2/", "https://registry.example/v2/", "http://10.0.0.1/"]) {
      const target = readTarget(`${from.split(":", 1)[0]}://${host}/x`, new URL(from), true);
      assertEquals(target, "an address of this machine or its cloud", host);
    }
    assertEquals(
      readTarget(`http://${host}/x`, new URL("http://127.0.0.1:5000/v2/"), false) instanceof URL,
      true,
      host,
    );
  }
  for (const host of ["10.0.0.1", "192.168.1.1", "127.example.com", "localhost.example", "[2001:db8::1]", "1.2.3.4"]) {
    assertEquals(
      readTarget(`https://${host}/x`, new URL("https://registry.example/"), false) instanceof URL,
      true,
      host,
    );
  }
});

Deno.test("readTarget() leads from HTTPS to no plain HTTP, and nowhere but over HTTP", () => {
  const from = new URL("https://registry.example/v2/");
  assertEquals(readTarget("http://store.example/x", from, false), "plain HTTP");
  for (const to of ["file:///etc/passwd", "unix:///run/x.sock", "data:,x", "ftp://a/b", "javascript:1", "http://["]) {
    assertEquals(readTarget(to, from, true), "an unsupported address", to);
  }
  assertEquals(String(readTarget("//user:word@store.example/x", from, false)), "https://store.example/x");
});

Deno.test("readTarget() leads to a port that fetch() refuses on the same host only, whoever has named it", () => {
  for (
    const from of ["http://registry.example:6000/v2/", "https://registry.example/v2/", "http://127.0.0.1:6000/v2/"]
  ) {
    const base = new URL(from);
    for (const port of [22, 25, 6000, 6667]) {
      const elsewhere = readTarget(`${base.protocol}//mail.example:${port}/x`, base, true);
      assertEquals(elsewhere, "a port of mail or the like on another host", `${from} ${port}`);
      const same = `${base.protocol}//${base.hostname}:${port}/x`;
      assertEquals(String(readTarget(same, base, true)), same);
    }
    assertEquals(readTarget(`${base.protocol}//store.example:9000/x`, base, true) instanceof URL, true);
  }
});

Deno.test("isTrustedRealm() takes a token server by the channel that named it", () => {
  const rows: [base: string, insecure: boolean, realm: string, trusted: boolean][] = [
    ["https://r.example", false, "https://auth.example", true],
    ["https://r.example", false, "http://auth.example", false],
    ["https://r.example", true, "https://auth.example", false],
    ["https://r.example", true, "https://r.example:5001", true],
    ["https://r.example", true, "http://r.example", false],
    ["http://r.example", true, "https://auth.example", false],
    ["http://listed.example", true, "http://listed.example", true],
    ["http://listed.example", true, "https://auth.example", false],
    ["https://r.example", false, "http://listed.example", true],
    ["http://127.0.0.1:5000", true, "http://127.0.0.1:5001", true],
    ["http://127.0.0.1:5000", true, "https://auth.example", true],
    ["http://127.0.0.1:5000", true, "http://auth.example", false],
  ];
  for (const [base, insecure, realm, trusted] of rows) {
    const trust = { base: new URL(base), insecure, isListed: (host: string) => host === "listed.example" };
    assertEquals(isTrustedRealm(new URL(realm), trust), trusted, `${base} ${realm}`);
  }
});

Deno.test("isLoopback() takes loopback addresses and localhost, and no other name, wherever it may lead", () => {
  const hosts = ["localhost", "localhost.", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"];
  const others = [
    "localhost.example",
    "a.localhost",
    "127.0.0.1.nip.io",
    "ip6-localhost",
    "128.0.0.1",
    "[::]",
    "0.0.0.0",
  ];
  const loopback = (host: string) => isLoopback(new URL(`http://${host}`).hostname);
  assertEquals([hosts.filter(loopback), others.filter(loopback)], [hosts, []]);
  const registries = ["localhost", "localhost:5000", "127.0.0.1:5000", "[::1]:5000"];
  const elsewhere = ["127.0.0.1.nip.io:5000", "a.localhost:5000", "docker.io", "", "x:y:z", "localhost@evil.example"];
  assertEquals([registries, elsewhere].map((list) => list.filter(isLoopbackRegistry)), [registries, []]);
});

const METADATA = "http://169.254.169.254";
const CONF = `[[registry]]\nlocation = "r.example"\ninsecure = true\n`;

Deno.test("RegistryClient and RegistryWriter ask no address of this machine that a registry elsewhere leads to", async () => {
  const plain = { plain: true } as const;
  const rows: Record<string, ConstructorParameters<typeof RegistryWorld>[0]> = {
    blobs: { "r.example": registry(IMAGE, { ...plain, blobs: METADATA }) },
    uploads: { "r.example": registry(IMAGE, { ...plain, empty: true, uploads: `${METADATA}/latest` }) },
    "a token server": { "r.example": () => refusal(`Bearer realm="${METADATA}/token"`) },
    "a root": { "r.example": () => new Response(null, { status: 302, headers: { location: `${METADATA}/` } }) },
  };
  const { hash } = hostCodec();
  const options = { conf: parseRegistriesConf(CONF), hash, retries: 0 };
  const reference = normaliseReference("r.example/x:1");
  for (const [name, hosts] of Object.entries(rows)) {
    const net = new RegistryWorld({ ...hosts, "169.254.169.254": () => new Response("{}") });
    const blob = { ...DESCRIPTOR, open: () => Promise.resolve(new Blob([]).stream()) };
    await assertRejects(
      () => new RegistryClient(net, options).blob(reference, DESCRIPTOR).then(bytesOf),
      RegistryError,
    );
    await assertRejects(() => new RegistryWriter(net, options).blob(reference, blob), RegistryError).catch((error) => {
      if (name !== "blobs") throw error;
    });
    assertEquals(net.seen.filter(({ host }) => host !== "r.example"), [], name);
    assertEquals(net.seen.length > 0, true);
  }
});

/** A registry whose manifests and blobs are small on the way, and large once they are decoded. */
async function withBomb(run: (host: string) => Promise<void>): Promise<void> {
  const bomb = gzipSync(new Uint8Array(64 * 2 ** 20));
  const server = createServer((request, response) => {
    if (request.url === "/v2/") return void response.end("{}");
    response.writeHead(200, { "content-encoding": "gzip", "content-type": IMAGE.mediaType }).end(bomb);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    await run(`127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

Deno.test("RegistryClient reads no more than its bounds of what a registry sends compressed", async () => {
  await withBomb(async (host) => {
    const bounded = client(registriesConf(host), { retries: 0 });
    const reference = normaliseReference(`${host}/x:1`);
    // Deno hands out what was sent, since no coding was asked for; Node decodes it.
    const size = await bounded.manifest(reference).then(({ bytes }) => bytes.length, (error) => error.code);
    assertEquals(size === "limit" || size <= MANIFEST_LIMITS.bytes, true, String(size));
    const blob = await assertRejects(() => bounded.blob(reference, DESCRIPTOR).then(bytesOf), RegistryError);
    assertEquals(blob.code, "corrupt");
    const tags = await assertRejects(() => bounded.tags(reference), RegistryError);
    assertEquals(["limit", "protocol"].includes(tags.code), true, tags.code);
  });
});

Deno.test("RegistryClient reads no more of a challenge than its bound, and asks nothing further", async () => {
  const long = `Bearer ${"a=b,".repeat(3000)}realm="https://r.example/t"`;
  const net = new RegistryWorld({ "r.example": () => refusal(long) });
  const options = { conf: parseRegistriesConf(""), hash: hostCodec().hash, retries: 0 };
  await assertRejects(
    () => new RegistryClient(net, options).manifest(normaliseReference("r.example/x:1")),
    RegistryError,
    "realm",
  );
  assertEquals(net.seen.length, 1);
});

Deno.test("trustLoopback reaches loopback registries over plain HTTP with a credential, and no other host, unless the caller says otherwise", async () => {
  const challenge = 'Basic realm="r"';
  const plain = registry(IMAGE, { plain: true, challenge });
  const hosts = ["localhost:5000", "127.9.9.9:5000", "a.localhost:5000", "127.0.0.1.nip.io:5000", "r.example"];
  const net = new RegistryWorld(Object.fromEntries(hosts.map((host) => [host, plain])));
  const options = { hash: hostCodec().hash, retries: 0, credentials: () => ({ username: "ann", password: "pw" }) };
  const reaches = async (conf: string, choices: { trustLoopback?: boolean; tlsVerify?: boolean }) => {
    const made = new RegistryClient(net, { ...options, conf: parseRegistriesConf(conf), ...choices });
    const reached = [];
    for (const host of hosts) {
      const found = await made.manifest(normaliseReference(`${host}/x:1`)).then(() => true, () => false);
      if (found) reached.push(host);
    }
    return reached;
  };
  const loopback = ["localhost:5000", "127.9.9.9:5000"];
  assertEquals(await reaches("", { trustLoopback: true }), loopback);
  assertEquals(await reaches("", {}), []);
  assertEquals(await reaches("", { trustLoopback: true, tlsVerify: true }), []);
  assertEquals(await reaches(CONF, { trustLoopback: true }), [...loopback, "r.example"]);
  // A caller who wants no certificates checked has not said that everybody may read the credential.
  net.seen.length = 0;
  assertEquals(await reaches("", { trustLoopback: true, tlsVerify: false }), loopback);
  const sent = net.seen.filter(({ scheme, text }) => scheme === "http" && /authorization:/i.test(text));
  assertEquals([...new Set(sent.map(({ host }) => host))], loopback);
});

Deno.test("trustLoopback accepts any certificate of this machine alone: another host to which a registry there leads is checked", async () => {
  const host = "localhost:5000";
  const checked = async (blobs: string, conf: string, challenge?: string) => {
    const plain = registry(IMAGE, { plain: true, blobs });
    const net = new RegistryWorld({
      [host]: (request, url) =>
        challenge === undefined || url.protocol === "https:" ? plain(request, url) : refusal(challenge),
      "store.example": registry(IMAGE),
      "127.0.0.1:9000": registry(IMAGE),
      "auth.example": () => Response.json({ token: "t" }),
    });
    const options = { conf: parseRegistriesConf(conf), hash: hostCodec().hash, retries: 0, trustLoopback: true };
    const made = new RegistryClient(net, options);
    await made.blob(normaliseReference(`${host}/x:1`), DESCRIPTOR).then(bytesOf).catch(() => {});
    const asked = net.seen.filter((seen) => seen.host !== host);
    return asked.map(({ scheme, host, tls }) =>
      `${scheme}://${host} ${tls?.insecure === true ? "unchecked" : "checked"}`
    );
  };
  assertEquals(await checked("https://store.example", ""), ["https://store.example checked"]);
  assertEquals(await checked("https://127.0.0.1:9000", ""), ["https://127.0.0.1:9000 unchecked"]);
  const realm = 'Bearer realm="https://auth.example/token"';
  assertEquals((await checked("", "", realm))[0], "https://auth.example checked");
  const listed = (location: string) => `[[registry]]\nlocation = "${location}"\ninsecure = true\n`;
  assertEquals((await checked("", listed("auth.example"), realm))[0], "https://auth.example unchecked");
  assertEquals(await checked("https://store.example", listed(host)), ["https://store.example unchecked"]);
});

Deno.test("readTarget() follows no redirect from HTTPS down to plain HTTP elsewhere where loopback alone is trusted", () => {
  const from = new URL("https://localhost:5000/v2/");
  assertEquals(readTarget("http://store.example/", from, "loopback"), "plain HTTP");
  assertEquals(String(readTarget("http://127.0.0.1:9000/", from, "loopback")), "http://127.0.0.1:9000/");
});
