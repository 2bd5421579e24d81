import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Net } from "../../../lib/engine/ports/ports.ts";
import { parseRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { hostNet } from "../../../lib/platform/net.ts";
import { openTestEngine, type TestEngine } from "../../fixtures/handlers/test_engine.ts";
import { startRegistry } from "../../fixtures/images/registry.ts";

const WEB = "[Container]\nImage=quay.io/web\n";

/** A server with a few addresses, and one that is down. */
const net: Net = {
  fetch({ url }) {
    const { hostname, pathname } = new URL(url);
    if (hostname === "down.test") return Promise.reject(new TypeError("connection refused"));
    const headers = { "content-disposition": 'attachment; filename="named.container"' };
    const answers: Record<string, Response> = {
      "/q/web.container": new Response(WEB),
      "/download": new Response(WEB, { headers }),
      "/bad.container": new Response("[Container]\nImgae=x\n"),
      "/large.container": new Response(new Uint8Array(5 << 20)),
      "/page.html": new Response("<p>"),
      "/": new Response(WEB),
      "/up": new Response(WEB, { headers: { "content-disposition": "filename=../web.container" } }),
    };
    return Promise.resolve(answers[pathname] ?? new Response("no", { status: 404 }));
  },
};

async function codeAndText(promise: Promise<unknown>): Promise<[string, string]> {
  const { code, message } = await assertRejects(() => promise, EngineError);
  return [code, message];
}

async function namesOf({ engine }: TestEngine): Promise<string[]> {
  return (await engine.quadlets.list()).map(({ name }) => name);
}

Deno.test("installFrom() takes a quadlet by its address, under the name that the answer or the address gives", async () => {
  await using test = await openTestEngine({ net, pulled: false, host: false });
  const { quadlets } = test.engine;
  await quadlets.installFrom("https://ann:secret@files.test/q/web.container");
  await quadlets.installFrom("http://files.test/download?x=1");
  assertEquals(await namesOf(test), ["named.container", "web.container"]);
  assertEquals(await quadlets.text("named.container"), WEB);
  await quadlets.installFrom("https://files.test/q/web.container", { replace: true });
});

Deno.test("installFrom() refuses other sources, answers without success, and what is too large or wrong; nothing stays", async () => {
  await using test = await openTestEngine({ net, pulled: false, host: false });
  const rows: [source: string, code: string, text: string][] = [
    [
      "/etc/x.container",
      "invalid",
      '"/etc/x.container" is neither an address (https://…) nor an artifact (docker://…)',
    ],
    ["https://", "invalid", "its address is no URL"],
    ["https://ann:secret@files.test/none.container", "invalid", "files.test/none.container: HTTP status 404"],
    ["https://down.test/a.container", "invalid", "down.test/a.container: there is no answer"],
    ["https://files.test/", "invalid", "files.test/: neither the answer nor the address names a file"],
    ["https://files.test/large.container", "limit", "files.test/large.container: more than 4194304 bytes"],
  ];
  for (const [source, code, text] of rows) {
    const [found, message] = await codeAndText(test.engine.quadlets.installFrom(source));
    assertEquals([found, message.replace(/^Fetch quadlet:? /, "")], [code, text]);
  }
  assertEquals(await codeAndText(test.engine.quadlets.installFrom("https://files.test/bad.container")), [
    "invalid",
    "bad.container:2: Imgae: unsupported key in section [Container]",
  ]);
  for (const path of ["page.html", "up"]) {
    assertEquals((await codeAndText(test.engine.quadlets.installFrom(`https://files.test/${path}`)))[0], "invalid");
  }
  assertEquals(await namesOf(test), []);
});

Deno.test("installFrom() takes the files of an artifact, which does not stay", async () => {
  const registry = await startRegistry();
  await using _ = { [Symbol.asyncDispose]: () => registry.close() };
  const registries = parseRegistriesConf({ name: "registries.conf", text: registry.registriesConf });
  await using test = await openTestEngine({ net: hostNet(), registries, pulled: false, host: false });
  const { artifacts, quadlets } = test.engine;
  const name = `${registry.host}/team/web-quadlet:1`;
  const files = { "web.container": WEB, "web.env": "A=1\n" };
  for (const [file, text] of Object.entries(files)) {
    await artifacts.add(name, { name: file, content: new Blob([text]).stream() }, { append: file === "web.env" });
  }
  await artifacts.push(name);
  await artifacts.removeAll();
  const installed = await quadlets.installFrom(`docker://${name}`);
  assertEquals([...installed.keys()], ["web.container", "web.env"]);
  assertEquals([await namesOf(test), artifacts.list()], [["web.container"], []]);
  const [code] = await codeAndText(quadlets.installFrom(`docker://${registry.host}/team/none:1`));
  assertEquals(code, "registry");
});
