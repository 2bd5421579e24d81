/** Every way out for a credential, with every way in: a secret reaches the registry that was asked for, and nobody else. */
import { assert, assertEquals } from "@std/assert";
import { findCredential, parseAuthFile } from "../../../lib/oci/registry/auth_file.ts";
import { parseRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { refusal, registry, RegistryWorld, type Seen } from "../../fixtures/images/registry_world.ts";
import { openTestEngine, TINY } from "../../fixtures/handlers/test_engine.ts";
import { ASKED, encode, SECRETS, type Source, SOURCES, USER, type Way, WAYS } from "./credential_ways.ts";

/** Hosts that may have a secret; `http` only where a way says so. */
function mayHave({ host, scheme }: Seen, way: Way): boolean {
  const isNamed = Object.values(way.reaches ?? {}).flat().includes(`${scheme} ${host}`);
  return isNamed || (scheme === "https" && host === ASKED);
}

function holdsSecret({ text }: Seen): boolean {
  return SECRETS.some((secret) => text.includes(secret));
}

async function walk(way: Way, source: Source): Promise<Seen[]> {
  const world = new RegistryWorld({ ...way.hosts, "seed.example": registry(TINY) });
  const { credentials } = parseAuthFile(new TextEncoder().encode(JSON.stringify(source.authFile ?? {})));
  await using test = await openTestEngine({
    pulled: false,
    net: world,
    registries: parseRegistriesConf(way.conf ?? ""),
    credentials: (registry, path) => findCredential(credentials, registry, path),
  });
  const { reference = `${ASKED}/team/app:1`, query = "", operation = "pull" } = way;
  const more = query === "" ? "" : `&${query}`;
  if (operation === "push") {
    await (await test.send("POST", "/libpod/images/pull?reference=seed.example/x:1")).text();
    const path = `/libpod/images/seed.example/x:1/push?destination=${reference}&retry=0${more}`;
    await (await test.send("POST", path, undefined, source.headers)).text();
  } else if (operation === "search") {
    await (await test.send("GET", `/libpod/images/search?term=${ASKED}/x${more}`, undefined, source.headers)).text();
  } else {
    const path = `/libpod/images/pull?reference=${reference}&retry=0${more}`;
    await (await test.send("POST", path, undefined, source.headers)).text();
  }
  return world.seen;
}

for (const [name, way] of Object.entries(WAYS)) {
  Deno.test(`a credential's way out: ${name}`, async (t) => {
    for (const [how, source] of Object.entries(SOURCES)) {
      await t.step(`by ${how}`, async () => {
        const seen = await walk(way, source);
        assert(seen.some(({ host }) => host !== "seed.example"), "nobody was asked");
        const holders = seen.filter(holdsSecret);
        const foreign = holders.filter((one) => !mayHave(one, way)).map(({ scheme, host, path }) =>
          `${scheme} ${host}${path}`
        );
        assertEquals(foreign, []);
        const reached = new Set(holders.map(({ scheme, host }) => `${scheme} ${host}`));
        for (const place of way.reaches?.[source.kind] ?? []) assert(reached.has(place), `${place} got none`);
      });
    }
  });
}

const BASIC = 'Basic realm="r"';

/** What hosts that ask for a password were given, as users. */
function users(seen: readonly Seen[]): string[] {
  const told = seen.flatMap(({ scheme, host, text }) => {
    const [, given] = /^authorization: Basic (.+)$/m.exec(text) ?? [];
    return given === undefined ? [] : [`${scheme} ${host} ${atob(given)}`];
  });
  return [...new Set(told)];
}

async function ask(options: {
  conf?: string;
  hosts: RegistryWorld["hosts"];
  auths?: Record<string, string>;
  headers?: Record<string, string>;
  requests: [method: string, path: string, body?: unknown][];
}): Promise<Seen[]> {
  const world = new RegistryWorld(options.hosts);
  const auths = Object.fromEntries(
    Object.entries(options.auths ?? {}).map(([name, text]) => [name, { auth: btoa(text) }]),
  );
  const { credentials } = parseAuthFile(new TextEncoder().encode(JSON.stringify({ auths })));
  await using test = await openTestEngine({
    pulled: false,
    net: world,
    registries: parseRegistriesConf(options.conf ?? ""),
    credentials: (registry, path) => findCredential(credentials, registry, path),
  });
  for (const [method, path, body] of options.requests) {
    await (await test.send(method, path, body, options.headers)).text();
  }
  return world.seen;
}

const MIRRORED = `[[registry]]\nlocation = "${ASKED}"\n[[registry.mirror]]\nlocation = "mirror.example"\n`;
const guarded = registry(TINY, { challenge: BASIC });
const both = { [ASKED]: guarded, "mirror.example": registry(TINY, { challenge: BASIC, empty: true }) };
const pull = (reference: string, more = ""): ["POST", string] => [
  "POST",
  `/libpod/images/pull?reference=${reference}&retry=0${more}`,
];

Deno.test("a mirror gets the credential that is kept under its own name, whatever the caller brings", async () => {
  const auths = { "mirror.example": "mirror:m", [ASKED]: "usual:u" };
  const asked = { conf: MIRRORED, hosts: both, requests: [pull(`${ASKED}/team/app:1`)] };
  assertEquals(users(await ask({ ...asked, auths })), ["https mirror.example mirror:m", `https ${ASKED} usual:u`]);
  const headers = { "X-Registry-Auth": encode(USER) };
  assertEquals(users(await ask({ ...asked, auths, headers })), [
    "https mirror.example mirror:m",
    `https ${ASKED} ann:the-password`,
  ]);
  const map = { "X-Registry-Config": encode({ [ASKED]: USER, "mirror.example": { username: "own", password: "o" } }) };
  assertEquals(users(await ask({ ...asked, auths, headers: map })), [
    "https mirror.example own:o",
    `https ${ASKED} ann:the-password`,
  ]);
});

Deno.test("a map's credential goes to the registry of exactly its name", async () => {
  for (const name of ["example", `${ASKED}:443`, `x.${ASKED}`, `${ASKED}.evil.example`, `${ASKED}/other`, "*"]) {
    for (const header of ["X-Registry-Config", "X-Registry-Auth"]) {
      const headers = { [header]: encode({ [name]: USER }) };
      const seen = await ask({ hosts: both, headers, requests: [pull(`${ASKED}/team/app:1`)] });
      assertEquals([seen.length > 0, users(seen)], [true, []], name);
    }
  }
});

Deno.test("a credential without a name goes nowhere when the name asked for may mean several registries", async () => {
  const conf = `unqualified-search-registries = ["first.example", "second.example"]\n`;
  const hosts = { "first.example": guarded, "second.example": guarded };
  const headers = { "X-Registry-Auth": encode(USER) };
  const requests: [string, string][] = [pull("team/app:1"), ["GET", "/libpod/images/search?term=app"]];
  for (const request of requests) {
    const seen = await ask({ conf, hosts, headers, requests: [request] });
    assertEquals([new Set(seen.map(({ host }) => host)).size, users(seen)], [2, []]);
    const named = { "X-Registry-Auth": encode({ ...USER, serveraddress: "https://second.example/v1/" }) };
    assertEquals(users(await ask({ conf, hosts, headers: named, requests: [request] })), [
      "https second.example ann:the-password",
    ]);
  }
  const one = `unqualified-search-registries = ["first.example"]\n`;
  assertEquals(users(await ask({ conf: one, hosts, headers, requests })), ["https first.example ann:the-password"]);
});

Deno.test("a list that is pushed takes its entries from other registries without the credential of its own", async () => {
  const hosts = { "first.example": guarded, [ASKED]: registry(TINY, { challenge: BASIC, empty: true }) };
  const add = ["POST", "/libpod/manifests/list?images=docker://first.example/team/app:1"] as const;
  const push = ["POST", `/libpod/manifests/list/registry/${ASKED}/team/list:1?all=true`] as const;
  const world = new RegistryWorld(hosts);
  await using test = await openTestEngine({ pulled: false, net: world });
  const source = { "X-Registry-Auth": encode({ username: "source", password: "s" }) };
  assertEquals((await test.send(...add, undefined, source)).status, 201);
  assertEquals(users(world.seen), ["https first.example source:s"]);
  world.seen.length = 0;
  await (await test.send(...push, undefined, { "X-Registry-Auth": encode(USER) })).text();
  assertEquals(users(world.seen), []);
  assert(world.seen.some(({ host }) => host === "first.example"), "the entry was not asked for");
  world.seen.length = 0;
  const headers = {
    "X-Registry-Config": encode({ [ASKED]: USER, "first.example": { username: "source", password: "s" } }),
  };
  await (await test.send(...push, undefined, headers)).text();
  assertEquals(users(world.seen).sort(), ["https first.example source:s", `https ${ASKED} ann:the-password`]);
});

Deno.test("images of several registries in one request share no credential without a name", async () => {
  const hosts = { "first.example": guarded, "second.example": guarded };
  const headers = { "X-Registry-Auth": encode(USER) };
  const images = ["first.example/a/b:1", "docker://second.example/a/b:1"];
  const create: [string, string] = ["POST", `/libpod/manifests/list?images=${images.join("&images=")}`];
  assertEquals(users(await ask({ hosts, headers, requests: [create] })), []);
  const alone: [string, string] = ["POST", `/libpod/manifests/list?images=${images[0]}`];
  assertEquals(users(await ask({ hosts, headers, requests: [alone] })), ["https first.example ann:the-password"]);
});

Deno.test("artifacts, distribution inspection and logins give a credential to the registry named, and not to its mirrors", async () => {
  const headers = { "X-Registry-Auth": encode(USER) };
  const requests: [string, string, unknown?][] = [
    ["POST", `/libpod/artifacts/pull?name=${ASKED}/team/app:1&retry=0`],
    ["GET", `/distribution/${ASKED}/team/app:1/json`],
    ["POST", "/auth", { ...USER, serveraddress: ASKED }],
  ];
  for (const request of requests) {
    const seen = await ask({ conf: MIRRORED, hosts: both, headers, requests: [request] });
    assertEquals(users(seen), [`https ${ASKED} ann:the-password`], request[1]);
  }
  const plain = { [ASKED]: registry(TINY, { challenge: BASIC, plain: true }) };
  const seen = await ask({ hosts: plain, headers, requests });
  assertEquals([seen.length > 0, users(seen)], [true, []]);
});

Deno.test("the certificate of ours that one registry is shown is not shown where another leads", async () => {
  const world = new RegistryWorld({
    [ASKED]: registry(TINY, { blobs: "https://store.example" }),
    "store.example": () => refusal(BASIC),
  });
  const shown = { ca: "CA", cert: "CERT", key: "KEY" };
  await using test = await openTestEngine({ pulled: false, net: world, tls: () => shown });
  await (await test.send(...pull(`${ASKED}/team/app:1`))).text();
  const tls = (host: string) => world.seen.find((seen) => seen.host === host)?.tls;
  assertEquals([tls(ASKED), tls("store.example")], [shown, { ca: "CA" }]);
});
