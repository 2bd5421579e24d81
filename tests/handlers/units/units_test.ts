/** Units of systemd in the native tree, over an engine with a fake kernel. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function generate(test: TestEngine, path: string): Promise<{ status: number; body: Record<string, string> }> {
  const reply = await test.send("GET", `/libpod/generate/${path}`);
  return { status: reply.status, body: await reply.json() };
}

async function make(test: TestEngine, what: string, body: unknown): Promise<void> {
  const reply = await test.send("POST", `/libpod/${what}/create`, body);
  assertEquals(reply.status, 201, await reply.text());
}

Deno.test("GenerateSystemd writes the unit of a container", async () => {
  await using test = await openTestEngine();
  const command = ["podman", "run", "--name", "web", TINY_NAME];
  await make(test, "containers", { image: TINY_NAME, name: "web", containerCreateCommand: command });
  const { status, body } = await generate(
    test,
    "web/systemd?useName=true&containerPrefix=&noHeader=true&after=a.service",
  );
  assertEquals([status, Object.keys(body)], [200, ["web"]]);
  assertStringIncludes(body.web, "# web.service\n\n[Unit]\nDescription=Podman web.service\n");
  assertStringIncludes(body.web, "\n# User-defined dependencies\nAfter=a.service\n");
  assertStringIncludes(body.web, "\nExecStart=/usr/bin/podman start web\n");
  const anew = await generate(test, "web/systemd?useName=true&new=true&restartPolicy=always&stopTimeout=3&separator=_");
  assertStringIncludes(anew.body.container_web, "\nRestart=always\nTimeoutStopSec=63\n");
  assertStringIncludes(anew.body.container_web, `--name web ${TINY_NAME}\n`);
});

Deno.test("GenerateSystemd writes the units of a pod and of its containers", async () => {
  await using test = await openTestEngine();
  await make(test, "pods", {
    name: "shop",
    infra_name: "hold",
    pod_create_command: ["podman", "pod", "create", "shop"],
  });
  for (const name of ["db", "web"]) {
    const command = ["podman", "create", "--pod", "shop", "--name", name, TINY_NAME];
    await make(test, "containers", { image: TINY_NAME, name, pod: "shop", containerCreateCommand: command });
  }
  const { status, body } = await generate(test, "shop/systemd?useName=true&new=true&podPrefix=group");
  assertEquals([status, Object.keys(body).sort()], [200, ["container-db", "container-web", "group-shop"]]);
  assertStringIncludes(body["group-shop"], "Wants=container-db.service container-web.service\n");
  assertStringIncludes(body["container-db"], "\nBindsTo=group-shop.service\nAfter=group-shop.service\n");
  assertStringIncludes(body["container-db"], "\t--pod-id-file %t/group-shop.pod-id \\\n");
  assertEquals(body["container-db"].includes("--pod shop"), false);
  const template = await test.send("GET", "/libpod/generate/shop/systemd?templateUnitFile=true");
  assertEquals(await template.json(), {
    cause: "--template is not supported for pods",
    message: "generating systemd units: --template is not supported for pods",
    response: 500,
  });
});

Deno.test("GenerateSystemd refuses what no unit can be made of", async () => {
  await using test = await openTestEngine();
  await make(test, "containers", { image: TINY_NAME, name: "web" });
  const messageOf = async (path: string) => {
    const { status, body } = await generate(test, path);
    return `${status} ${body.message}`;
  };
  assertStringIncludes(await messageOf("web/systemd?new=true"), "500 generating systemd units: cannot use --new on");
  assertStringIncludes(
    await messageOf("web/systemd?restartPolicy=often"),
    "500 generating systemd units: often is not",
  );
  assertStringIncludes(await messageOf("none/systemd"), "500 generating systemd units: none does not refer to a");
  assertStringIncludes(await messageOf("web/systemd?stopTimeout=soon"), "400 ");
});
