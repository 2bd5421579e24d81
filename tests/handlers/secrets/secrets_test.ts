import { assertEquals, assertMatch } from "@std/assert";
import { openTestEngine, type TestEngine } from "../../fixtures/handlers/test_engine.ts";

const json = { "content-type": "application/json" };

async function answer(test: TestEngine, method: string, path: string, body?: unknown) {
  const response = await test.send(method, path, body, body === undefined ? undefined : json);
  const text = await response.text();
  // Any JSON: the test looks into it.
  return [response.status, text === "" ? undefined : JSON.parse(text)] as const;
}

const SHELL = { store: "s", lookup: "l", delete: "d", list: "l" };

Deno.test("CreateSecret takes a driver and its options, replaces and ignores, and shows no value unasked", async () => {
  await using test = await openTestEngine({ pulled: false });
  const create = (query: string, body: string) => test.send("POST", `/libpod/secrets/create?name=one&${query}`, body);
  const options = encodeURIComponent(JSON.stringify(SHELL));
  const first = await create(`driver=shell&driveropts=${options}&labels={"a":"b"}`, "hush");
  assertEquals(first.status, 200);
  const { ID } = await first.json();
  const [, shown] = await answer(test, "GET", "/libpod/secrets/one/json");
  assertEquals(shown.Spec, { Name: "one", Driver: { Name: "shell", Options: SHELL }, Labels: { a: "b" } });
  assertEquals("SecretData" in shown, false);
  assertEquals((await answer(test, "GET", "/libpod/secrets/one/json?showsecret=true"))[1].SecretData, "hush");
  assertEquals((await create("", "other")).status, 500);
  assertEquals((await (await create("ignore=true", "other")).json()).ID, ID);
  const replaced = await (await create("replace=true", "new")).json();
  assertEquals([replaced.ID === ID, test.kernel.vault.size], [false, 0], "the driver's value went with it");
  assertEquals((await answer(test, "GET", "/libpod/secrets/one/json?showsecret=true"))[1].SecretData, "new");
  assertEquals((await answer(test, "GET", `/libpod/secrets/${ID}/exists`))[0], 404);
});

Deno.test("CompatUpdateSecret changes labels of the version a client saw, as Docker does, and Podman's clients get Podman's answer", async () => {
  await using test = await openTestEngine({ pulled: false });
  const body = { Name: "one", Data: btoa("hush"), Labels: { a: "b" } };
  const [, { ID }] = await answer(test, "POST", "/secrets/create", body);
  const spec = { Name: "one", Labels: { c: "d" } };
  assertEquals(await answer(test, "POST", `/v1.44/secrets/${ID}/update?version=1`, spec), [200, undefined]);
  const [, shown] = await answer(test, "GET", `/v1.44/secrets/${ID}`);
  assertEquals([shown.ID, shown.Version, shown.Spec.Labels], [ID, { Index: 2 }, { c: "d" }]);
  const rows: [path: string, body: unknown, status: number, text: RegExp][] = [
    [`/secrets/${ID}/update?version=1`, spec, 500, /update out of sequence$/],
    [`/secrets/${ID}/update?version=x`, spec, 400, /^invalid secret version$/],
    [`/secrets/${ID}/update?version=2`, { ...spec, Data: btoa("new") }, 400, /^only updates to Labels are allowed$/],
    [`/secrets/${ID}/update?version=2`, { ...spec, Name: "two" }, 400, /^only updates to Labels are allowed$/],
    [`/secrets/${ID}/update?version=2`, { ...spec, Templating: { Name: "golang" } }, 501, /^Templating: /],
    ["/secrets/none/update?version=1", spec, 404, /no such secret$/],
    [`/secrets/${ID}/update`, spec, 501, /^update is not supported$/],
    ["/secrets/create", { ...body, Name: "three", Templating: { Name: "golang" } }, 501, /^Templating: /],
  ];
  for (const [path, body, status, text] of rows) {
    const [code, error] = await answer(test, "POST", path, body);
    assertEquals(code, status, path);
    assertMatch(error.message, text);
  }
  assertEquals((await test.send("POST", "/secrets/one/update")).status, 501, "a client that sends no body at all");
});

Deno.test("the owner's driver is taken where a request names none", async () => {
  await using test = await openTestEngine({
    pulled: false,
    defaults: { secretDriver: "shell", secretOptions: SHELL },
  });
  assertEquals((await test.send("POST", "/libpod/secrets/create?name=one", "hush")).status, 200);
  assertEquals((await test.send("POST", "/libpod/secrets/create?name=two&driver=file", "hush")).status, 200);
  const [, list] = await answer(test, "GET", "/libpod/secrets/json");
  // Any JSON: the test looks into it.
  const drivers = list.map(({ Spec }: { Spec: { Driver: { Name: string } } }) => Spec.Driver.Name);
  assertEquals([drivers, test.kernel.vault.size], [["shell", "file"], 1]);
});
