/** What goes wrong in a user's hands, and what they are told; nothing of it stays behind. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startBadRegistry } from "../fixtures/bad_registry.ts";
import { busyboxImage, pushImage } from "../fixtures/image_builder.ts";
import { registriesConf } from "../fixtures/registry.ts";
import { ok } from "../fixtures/run.ts";
import { Session } from "./session.ts";
import { traces } from "./traces.ts";

Deno.test("bad requests are answered clearly and change nothing", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));

  const call = async (method: string, path: string, options: { body?: unknown; raw?: string } = {}) => {
    const response = await server.request(method, `/v4.0.0/libpod${path}`, options);
    const text = await response.text();
    return { status: response.status, ...(text.startsWith("{") ? JSON.parse(text) : { text }) };
  };

  const create = (body: Record<string, unknown>) => call("POST", "/containers/create", { body: { image, ...body } });

  await t.step("an unknown image is 404, in both trees", async () => {
    const native = await create({ image: "localhost/no/such:image" });
    assertEquals([native.status, native.response], [404, 404]);
    assertStringIncludes(native.message, "no such image");
    const compat = await server.request("POST", "/containers/create", { body: { Image: "localhost/no/such:image" } });
    assertEquals(compat.status, 404);
    assertStringIncludes((await compat.json()).message, "No such image");
  });

  await t.step("an image name that does not parse is 400 and quoted", async () => {
    const answer = await call("POST", "/images/pull?reference=" + encodeURIComponent("BAD//Name:::x"));
    assertEquals(answer.status, 400);
    assertStringIncludes(answer.message, "BAD//Name:::x");
  });

  await t.step("a body that is not JSON is 400", async () => {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path: server.socket } });
    const response = await fetch("http://d/v4.0.0/libpod/containers/create", {
      client,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{ this is not JSON",
    });
    assertEquals(response.status, 400);
    const { response: status, message } = await response.json();
    assertEquals(status, 400);
    assertMatch(message, /JSON/i);
  });

  await t.step("a field of the wrong kind is 400 and named", async () => {
    const answer = await create({ command: "not a list" });
    assertEquals(answer.status, 400);
    assertStringIncludes(answer.message, "command");
  });

  await t.step("an unknown container is 404 with the text clients know", async () => {
    for (const path of ["/json", "/logs?stdout=true"]) {
      const answer = await call("GET", `/containers/nosuch${path}`);
      assertEquals([answer.status, answer.cause], [404, "no such container"]);
      assertEquals(answer.message, 'no container with name or ID "nosuch" found: no such container');
    }
    for (const path of ["start", "stop", "kill", "wait"]) {
      assertEquals((await call("POST", `/containers/nosuch/${path}`)).status, 404, path);
    }
  });

  await t.step("a name in use is refused as Podman refuses it", async () => {
    const first = await create({ name: "taken" });
    assertEquals(first.status, 201);
    const second = await create({ name: "taken" });
    assertEquals(second.status, 409);
    assertStringIncludes(second.message, 'name "taken" is in use');
    assertEquals((await call("DELETE", "/containers/taken")).status, 200);
  });

  await t.step("starting a running container is 304", async () => {
    ok(await server.podman("run", "-d", "--name", "runs", "--network=none", image, "sleep", "60"));
    assertEquals((await call("POST", "/containers/runs/start")).status, 304);
    assertEquals((await server.request("POST", "/containers/runs/start")).status, 304);
    ok(await server.podman("rm", "-f", "-t", "0", "runs"));
  });

  await t.step("a port already taken names the port and leaves no half-started container", async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const result = await server.podman(
      "run",
      "-d",
      "--name",
      "late",
      "-p",
      `127.0.0.1:${taken.addr.port}:80`,
      image,
      "sleep",
      "9",
    );
    assert(result.code !== 0);
    assertStringIncludes(result.stderr, String(taken.addr.port));
    assertStringIncludes(result.stderr, "address already in use");
    const [late] = JSON.parse(ok(await server.podman("inspect", "late")));
    assertEquals([late.State.Status, late.State.Pid], ["created", 0]);
    ok(await server.podman("rm", "late"));
    assertEquals(traces(server.folder, [late.Id]), { ...nothing, interfaces: traces(server.folder).interfaces });
  });

  await t.step(
    "a command that is not there exits 127 with the runtime's message, one that cannot run 126",
    async () => {
      const missing = await server.podman("run", "--rm", "--network=none", image, "/no/such/command");
      assertEquals(missing.code, 127, missing.stderr);
      assertStringIncludes(missing.stderr, "/no/such/command");
      const folder = await server.podman("run", "--rm", "--network=none", image, "/etc/passwd");
      assertEquals(folder.code, 126, folder.stderr);
      assertEquals(ok(await server.podman("ps", "-aq")), "");
    },
  );

  await t.step("a field that is not honoured is refused by its name, not dropped", async () => {
    const answer = await create({ pod: "some-pod" });
    assert(answer.status >= 400);
    assertStringIncludes(answer.message, "pod");
  });

  await t.step("an unknown path is 404 and a wrong method 405, as text", async () => {
    const missing = await server.request("GET", "/v4.0.0/libpod/nosuch");
    assertEquals([missing.status, await missing.text()], [404, "Not Found\n"]);
    const method = await server.request("PATCH", "/v4.0.0/libpod/containers/json");
    assertEquals([method.status, await method.text()], [405, "Method Not Allowed\n"]);
  });
});

const nothing = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };
