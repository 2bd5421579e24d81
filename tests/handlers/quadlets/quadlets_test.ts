import { assert, assertEquals } from "@std/assert";
import { tarStream } from "../../../lib/oci/tar/tar_entries.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const WEB = "[Container]\nImage=quay.io/web\n";

async function archive(files: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const list = Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
  async function* entries() {
    for (const { path, content } of list) yield { path, content, size: content.length };
  }
  return new Uint8Array(await new Response(tarStream(entries())).arrayBuffer());
}

async function send(test: TestEngine, method: string, path: string, init: RequestInit = {}) {
  const response = await test.serve(new Request(`http://localhost/libpod/quadlets${path}`, { method, ...init }));
  const text = await response.text();
  // Any JSON: the test looks into it.
  const isJSON = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, text, json: isJSON ? JSON.parse(text) : undefined };
}

async function install(test: TestEngine, files: Readonly<Record<string, string>>, query = "") {
  const headers = { "content-type": "application/x-tar" };
  return await send(test, "POST", query, { body: await archive(files), headers });
}

async function names(test: TestEngine, filters: unknown = {}): Promise<string[]> {
  const { json } = await send(test, "GET", `/json?filters=${encodeURIComponent(JSON.stringify(filters))}`);
  return json.map(({ Name }: { Name: string }) => Name);
}

Deno.test("InstallQuadlets stores a quadlet with its files, GetQuadletPrint gives its text, RemoveQuadlet takes all", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  const { status, json } = await install(test, { "web.container": WEB, "web.env": "A=1\n" });
  assertEquals([status, json], [200, {
    InstalledQuadlets: { "web.container": "web.container", "web.env": "web.env" },
    QuadletErrors: {},
  }]);
  assertEquals((await send(test, "GET", "/web.container/file")).text, WEB);
  assertEquals((await send(test, "GET", "/web.container/exists")).status, 204);
  assertEquals((await send(test, "GET", "/json")).json, [{
    Name: "web.container",
    UnitName: "web.service",
    Path: "web.container",
    Status: "Not loaded (there is no host to run it)",
    App: "",
    Pod: "",
  }]);
  assertEquals((await send(test, "DELETE", "/web.container")).json, { Removed: ["web.container"], Errors: {} });
  assertEquals(await names(test), []);
  assertEquals((await install(test, { "other.container": WEB, "web.env": "" })).status, 200, "its files went with it");
});

Deno.test("InstallQuadlets refuses what is there, unless it may be replaced, and then drops files of the old one", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  await install(test, { "web.container": WEB, "old.env": "" });
  const again = await install(test, { "web.container": `${WEB}User=1\n` });
  assertEquals([again.status, again.json.cause], [
    400,
    "a Quadlet with name web.container already exists, refusing to overwrite",
  ]);
  assertEquals((await send(test, "GET", "/web.container/file")).text, WEB);
  assertEquals(
    (await install(test, { "web.container": `${WEB}User=1\n`, "new.env": "" }, "?replace=true")).status,
    200,
  );
  assertEquals((await send(test, "GET", "/web.container/file")).text, `${WEB}User=1\n`);
  assertEquals((await install(test, { "b.container": WEB, "new.env": "" })).status, 400);
  assertEquals((await install(test, { "b.container": WEB, "old.env": "" })).status, 200);
});

Deno.test("InstallQuadlets takes the parts of a form that have file names", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  const body = new FormData();
  body.append("a", new File([WEB], "web.container"));
  body.append("b", new File(["FROM scratch\n"], "Containerfile"));
  body.append("c", "no file");
  const { status, json } = await send(test, "POST", "", { body });
  assertEquals([status, Object.keys(json.InstalledQuadlets)], [200, ["web.container", "Containerfile"]]);
});

Deno.test("InstallQuadlets refuses a bad body with 400, and nothing of it stays", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  const rows: [files: Record<string, string>, cause: string][] = [
    [{}, "no files found in request"],
    [{ "a.txt": "" }, "no quadlet files found in request"],
    [{ "a.container": WEB, "b.container": WEB }, "only a single quadlet file is allowed per request"],
    [{ "a.container": `${WEB}Nope=1\n` }, "a.container:3: Nope: unsupported key in section [Container]"],
    [{ "a.env": "", "a.container": "[Container]\n" }, "a.container: Image: neither Image nor Rootfs is set"],
    [{ "folder/a.container": WEB }, '"folder/a.container" is not the plain name of a file'],
    [{ "a.container": WEB, ".hidden": "" }, '".hidden" is not the plain name of a file'],
  ];
  for (const [files, cause] of rows) {
    const { status, json } = await install(test, files);
    assertEquals([status, json.cause], [400, cause]);
  }
  const bodies: [type: string, body: BodyInit, text: RegExp][] = [
    ["application/json", "{}", /Content-Type: application\/json is not supported. Should be "application\/x-tar"/],
    ["application/x-tar", "no tar at all ".repeat(100), /^Read archive: (?!Read archive)/],
    [
      "application/x-tar",
      await archive({ "a.container": WEB, "a.bin": "x".repeat(5 << 20) }),
      /more than 4194304 bytes/,
    ],
    ["multipart/form-data; boundary=x", "--x\r\n", /Read multipart body: /],
  ];
  for (const [type, body, text] of bodies) {
    const answer = await send(test, "POST", "", { body, headers: { "content-type": type } });
    assertEquals(answer.status, 400, answer.text);
    assert(text.test(answer.json.cause), answer.text);
  }
  assertEquals(await names(test), []);
  assertEquals((await install(test, { "b.container": WEB, "a.env": "", "a.bin": "" })).status, 200);
});

Deno.test("InstallQuadlets takes references to quadlets that come later", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  assertEquals((await install(test, { "web.container": `${WEB}Pod=p.pod\n` })).status, 200);
  assertEquals((await install(test, { "p.pod": "[Pod]\n" })).status, 200);
  assertEquals(await names(test), ["p.pod", "web.container"]);
  assertEquals(await names(test, { pod: ["p.pod"] }), ["web.container"]);
  assertEquals(await names(test, { name: ["^p", "^w"], status: ["Not loaded"] }), ["p.pod", "web.container"]);
  assertEquals(await names(test, { name: ["^p"], pod: ["p"] }), []);
  const { status, json } = await send(test, "GET", `/json?filters=${encodeURIComponent('{"size":["1"]}')}`);
  assertEquals([status, json.message], [500, "size is not a valid filter"]);
});

Deno.test("RemoveQuadlets takes several, all, and tells the errors by name", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  for (const name of ["a.container", "b.container", "c.volume"]) {
    await install(test, { [name]: name === "c.volume" ? "" : WEB });
  }
  const some = await send(test, "DELETE", "?quadlets=a.container&quadlets=z.container");
  assertEquals([some.status, some.json], [200, {
    Removed: ["a.container"],
    Errors: { "z.container": "no such quadlet: z.container: no such quadlet" },
  }]);
  assertEquals((await send(test, "DELETE", "?quadlets=z.container&ignore=true")).json.Removed, ["z.container"]);
  const neither = await send(test, "DELETE", "");
  assertEquals([neither.status, neither.json.message], [
    400,
    "must provide at least 1 quadlet to remove or set all=true",
  ]);
  const both = await send(test, "DELETE", "?all=true&quadlets=b.container");
  assertEquals([both.status, both.json.message], [400, "when setting all=true, you may not pass any quadlet names"]);
  assertEquals((await send(test, "DELETE", "?all=true&force=true")).json.Removed, ["b.container", "c.volume"]);
  assertEquals(await names(test), []);
});

Deno.test("a quadlet that is not there answers 404, and a name that is none 500 from QuadletExists", async () => {
  await using test = await openTestEngine({ pulled: false, host: false });
  const rows: [method: string, path: string, status: number][] = [
    ["GET", "/none.container/exists", 404],
    ["GET", "/none.container/file", 404],
    ["GET", "/none.bad/file", 404],
    ["GET", "/none.bad/exists", 500],
    ["GET", "/none.container", 405],
    ["DELETE", "/none.container", 404],
  ];
  for (const [method, path, status] of rows) {
    const answer = await send(test, method, path);
    assertEquals(answer.status, status, path);
    if (status === 404) assertEquals(answer.json.cause, "no such quadlet");
  }
  assertEquals((await send(test, "DELETE", "/none.container?ignore=true")).json.Removed, ["none.container"]);
});

Deno.test("a wanted quadlet runs once it is installed, unless reload-systemd is off, and goes with force only", async () => {
  await using test = await openTestEngine();
  const text = `[Container]\nImage=${TINY_NAME}\n[Install]\nWantedBy=multi-user.target\n`;
  assertEquals((await install(test, { "a.container": text }, "?reload-systemd=false")).status, 200);
  assertEquals((await install(test, { "b.container": text })).status, 200);
  await test.engine.quadlets.settled();
  const { json: list } = await send(test, "GET", "/json");
  assertEquals(list.map(({ Name, Status }: Record<string, string>) => [Name, Status]), [
    ["a.container", "inactive/dead"],
    ["b.container", "active/running"],
  ]);
  const kept = await send(test, "DELETE", "/b.container");
  assertEquals([kept.status, kept.json.cause], [400, "quadlet is running"]);
  const both = await send(test, "DELETE", "?quadlets=a.container&quadlets=b.container");
  assertEquals([both.json.Removed, Object.keys(both.json.Errors)], [["a.container"], ["b.container"]]);
  assertEquals((await send(test, "DELETE", "/b.container?force=true")).json, { Removed: ["b.container"], Errors: {} });
  assertEquals(test.engine.containers.list({ all: true }), []);
});
