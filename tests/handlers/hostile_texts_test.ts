/** Texts that end lines and steer terminals, in every place of the API that puts them into files, logs, names and messages. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isPrintable } from "../../lib/oci/printable.ts";
import { parseRegistriesConf } from "../../lib/oci/registry/registries_conf.ts";
import { registry, RegistryWorld } from "../fixtures/images/registry_world.ts";
import { openTestEngine, TINY, TINY_NAME } from "../fixtures/handlers/test_engine.ts";

const HOSTILE = ["a\nb", "a\rb", "a\x1b[31mb", "a\0b", "a\x9bb", "a\u2028b", "a\u202eb"];

/** Fields of a native create request that become lines, columns or names. */
const FIELDS: Record<string, (text: string) => Record<string, unknown>> = {
  name: (name) => ({ name }),
  hostname: (hostname) => ({ hostname }),
  hostadd: (text) => ({ hostadd: [`${text}:1.2.3.4`] }),
  "hostadd, the address": (text) => ({ hostadd: [`a:1.2.3.4${text}`] }),
  dns_search: (text) => ({ dns_search: [text] }),
  dns_option: (text) => ({ dns_option: [text] }),
  dns_server: (text) => ({ dns_server: [`1.1.1.1${text}`] }),
  "the alias of a network": (text) => ({ Networks: { podman: { aliases: [text] } } }),
  "the interface of a network": (text) => ({ Networks: { podman: { interface_name: text } } }),
  "the name of a network": (text) => ({ Networks: { [text]: {} } }),
  "the MAC of a network": (text) => ({ Networks: { podman: { static_mac: `02:00:00:00:00:01${text}` } } }),
  passwd_entry: (text) => ({ passwd_entry: `x:*:1:1::/:/bin/sh${text}` }),
  group_entry: (text) => ({ group_entry: `x:*:1:${text}` }),
  user: (user) => ({ user }),
  groups: (text) => ({ groups: [text] }),
  cgroup_parent: (text) => ({ cgroup_parent: `/x/${text}` }),
  "the journal's tag": (tag) => ({ log_configuration: { driver: "journald", options: { tag } } }),
  "the name of a volume": (text) => ({ volumes: [{ Name: text, Dest: "/v" }] }),
  "the name of a setting": (text) => ({ sysctl: { [`net.${text}/../../kernel/x`]: "1" } }),
};

for (const [field, bodyOf] of Object.entries(FIELDS)) {
  Deno.test(`a container is refused for a hostile text in ${field}, and the refusal is fit to be shown`, async () => {
    await using test = await openTestEngine();
    for (const text of HOSTILE) {
      const body = { image: TINY_NAME, ...bodyOf(text) };
      const reply = await test.send("POST", "/libpod/containers/create", body);
      const shown = await reply.json();
      assert(reply.status >= 400 && reply.status < 600, `${JSON.stringify(text)}: ${reply.status}`);
      for (const said of [shown.message, shown.cause]) {
        assert(isPrintable(said.replaceAll("\n", "")), JSON.stringify(said));
      }
    }
    assertEquals(
      (await (await test.send("GET", "/libpod/containers/json?all=true")).json()).length <= HOSTILE.length,
      true,
    );
  });
}

Deno.test("an alias of a network is one name for the DNS server, which takes commas for their ends", async () => {
  await using test = await openTestEngine();
  const body = { image: TINY_NAME, Networks: { podman: { aliases: ["mine,theirs"] } } };
  const reply = await test.send("POST", "/libpod/containers/create", body);
  assertEquals(reply.status, 500);
  assertStringIncludes((await reply.json()).message, "invalid network alias");
});

const WORDS = "denied\x1b]0;owned\x07\ngantry: error: forged\r\u202e";

Deno.test("what a registry says reaches clients, events and progress without what steers a terminal", async () => {
  const refuse = () => Response.json({ errors: [{ code: `DENIED${WORDS}`, message: WORDS }] }, { status: 403 });
  const net = new RegistryWorld({
    "bad.example": (_, url) => url.pathname === "/v2/" ? new Response("{}") : refuse(),
    "good.example": registry(TINY),
  });
  await using test = await openTestEngine({ pulled: false, net });
  await (await test.send("POST", "/libpod/images/pull?reference=good.example/x:1")).text();
  const requests: [method: string, path: string][] = [
    ["POST", "/libpod/images/pull?reference=bad.example/x:1"],
    ["POST", "/libpod/images/pull?reference=bad.example/x:1&quiet=true"],
    ["POST", "/libpod/images/pull?reference=bad.example/x:1&compatMode=true"],
    ["POST", "/images/create?fromImage=bad.example/x&tag=1"],
    ["POST", "/libpod/images/good.example%2Fx:1/push?destination=bad.example/x:1"],
    ["POST", "/images/good.example%2Fx:1/push?tag=1&destination=bad.example/x:1"],
    ["GET", "/libpod/images/search?term=bad.example/x"],
    ["GET", "/libpod/images/search?term=bad.example/x&listTags=true"],
    ["GET", "/distribution/bad.example/x:1/json"],
    ["POST", "/libpod/manifests/l?images=docker://bad.example/x:1"],
    ["POST", "/libpod/artifacts/pull?name=bad.example/x:1"],
    ["GET", "/libpod/events?stream=false"],
  ];
  let told = 0;
  for (const [method, path] of requests) {
    const text = await (await test.send(method, path)).text();
    for (const line of text.split("\n").filter((line) => line !== "")) {
      for (const found of textsOf(JSON.parse(line))) {
        if (found.includes("forged")) told++;
        assert(isPrintable(found.replaceAll("\n", "")), `${path}: ${JSON.stringify(found)}`);
      }
    }
  }
  assert(told >= requests.length - 2, `the words were told ${told} times`);
});

Deno.test("what a search finds is names and one line about each", async () => {
  const results = [
    { name: "fine", description: `first\nsecond${WORDS}` },
    { name: `na${WORDS}me`, description: "" },
  ];
  const net = new RegistryWorld({
    "bad.example": (_, { pathname }) => Response.json(pathname === "/v1/search" ? { results } : {}),
    "list.example": (_, { pathname }) =>
      pathname === "/v2/_catalog"
        ? Response.json({ repositories: ["a/x", `a/x${WORDS}`] })
        : pathname === "/v2/"
        ? new Response("{}")
        : new Response("", { status: 404 }),
  });
  await using test = await openTestEngine({ pulled: false, net, registries: parseRegistriesConf("") });
  const found = await (await test.send("GET", "/libpod/images/search?term=bad.example/x")).json();
  assertEquals(found.map(({ Name }: { Name: string }) => Name), ["bad.example/fine"]);
  assert(found.every((one: object) => textsOf(one).every(isPrintable)), JSON.stringify(found));
  const listed = await (await test.send("GET", "/libpod/images/search?term=list.example/x")).json();
  assertEquals(listed.map(({ Name }: { Name: string }) => Name), ["list.example/a/x"]);
});

Deno.test("a challenge with the name of what every object has is a challenge like any", async () => {
  for (const error of ["constructor", "toString", "__proto__"]) {
    const headers = { "www-authenticate": `Bearer realm="https://bad.example/t",error="${error}"` };
    const net = new RegistryWorld({
      "bad.example": (_, { pathname }) =>
        pathname === "/t" ? Response.json({ token: "t" }) : new Response("", { status: 401, headers }),
    });
    await using test = await openTestEngine({ pulled: false, net });
    const reply = await test.send("GET", "/distribution/bad.example/x:1/json");
    assertEquals([reply.status, (await reply.json()).message.includes("authentication required")], [401, true], error);
  }
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
