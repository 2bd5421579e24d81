/** What goes wrong in a user's hands, and what they are told; nothing of it stays behind. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Faults, startBadRegistry } from "../fixtures/images/bad_registry.ts";
import { busyboxImage, pushImage } from "../fixtures/images/image_builder.ts";
import { registriesConf } from "../fixtures/images/registry.ts";
import { Server } from "../fixtures/server.ts";
import type { Entry } from "../fixtures/images/tar_builder.ts";
import { ok } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";
import { traces } from "../fixtures/traces.ts";

Deno.test("bad requests are answered clearly and change nothing", async (t) => {
  await using session = await Session.shared();
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
    assertStringIncludes((await compat.json()).message, "no such image");
  });

  await t.step("an image name that does not parse is 400 and quoted", async () => {
    const answer = await call("POST", "/images/pull?reference=" + encodeURIComponent("BAD//Name:::x"));
    assertEquals(answer.status, 400);
    assertStringIncludes(answer.message, "BAD//Name:::x");
  });

  await t.step("a body that is not JSON is 400", async () => {
    const response = await server.request("POST", "/v4.0.0/libpod/containers/create", { raw: "{ this is not JSON" });
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
    assertEquals(second.status, 500);
    assertStringIncludes(second.message, 'name "taken" is already in use');
    const compat = await server.request("POST", "/containers/create?name=taken", { body: { Image: image } });
    assertEquals(compat.status, 409);
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
    assertEquals(traces(server.folder, [late.Id]), nothing);
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
    const answer = await create({ intelRdt: { closID: "x" } });
    assert(answer.status >= 400);
    assertStringIncludes(answer.message, "intelRdt");
  });

  await t.step("an unknown path is 404 and a wrong method 405, as text", async () => {
    const missing = await server.request("GET", "/v4.0.0/libpod/nosuch");
    assertEquals([missing.status, await missing.text()], [404, "Not Found\n"]);
    const method = await server.request("PATCH", "/v4.0.0/libpod/containers/json");
    assertEquals([method.status, await method.text()], [405, "Method Not Allowed\n"]);
  });
});

const nothing = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };

Deno.test("a registry that fails or lies gives a clear error and leaves nothing in the store", async (t) => {
  const cases: { what: string; faults: Faults; says: RegExp }[] = [
    { what: "401", faults: { status: { of: "manifest", code: 401 } }, says: /unauthorized|authentication required/i },
    { what: "404", faults: { status: { of: "manifest", code: 404 } }, says: /manifest unknown|not found|404/i },
    { what: "500", faults: { status: { of: "manifest", code: 500 } }, says: /500|internal server error/i },
    { what: "a wrong digest", faults: { alterBlob: (bytes) => bytes.map((byte) => byte ^ 1) }, says: /digest|sha256/i },
    { what: "a wrong size", faults: { alterBlob: (bytes) => bytes.slice(0, -7) }, says: /size|bytes|truncated/i },
    {
      what: "a layer that never ends whole",
      faults: { cut: { after: 100 } },
      says: /cut|EOF|closed|incomplete|connection/i,
    },
  ];
  for (const { what, faults, says } of cases) {
    await t.step(what, async () => {
      const registry = await startBadRegistry(busyboxImage(), faults);
      await using server = await Server.start({ registries: registry.registriesConf });
      const result = await server.podman("pull", `${registry.host}/team/app:1`);
      assert(result.code !== 0, result.stdout);
      assertMatch(result.stderr, says);
      assertEquals(ok(await server.podman("images", "-aq")), "");
      assertEquals(blobs(server), []);
      await registry.close();
    });
  }
});

Deno.test("a malicious layer is refused, and nothing of it is on the disk", async (t) => {
  await using session = await Session.shared();
  const { server, registry } = session;
  const outside = await Deno.makeTempDir({ prefix: "gantry-outside-" });
  const cases: Record<string, Entry[]> = {
    "absolute path": [{ type: "file", path: `${outside}/evil`, content: "evil" }],
    "dot-dot": [{ type: "file", path: "a/../../../evil", content: "evil" }],
    "link out": [
      { type: "symlink", path: "door", target: outside },
      { type: "file", path: "door/evil", content: "evil" },
    ],
    "hard link out": [{ type: "hardlink", path: "passwd", target: "../../../../etc/passwd" }],
    "device flood": Array.from({ length: 70_000 }, (_, i) => ({ type: "char", path: `null${i}`, major: 1, minor: 3 })),
  };
  for (const [what, entries] of Object.entries(cases)) {
    await t.step(what, async () => {
      const name = `bad/${what.replaceAll(" ", "-")}:1`;
      await pushImage(registry.url, name, busyboxImage({ layers: [{ gzip: true, entries }] }));
      const result = await server.podman("pull", `${registry.host}/${name}`);
      assert(result.code !== 0, result.stdout);
      assertMatch(result.stderr, /layer/i);
      assertEquals(ok(await server.podman("images", "-aq")), "");
      assertEquals(blobs(server), []);
      assertEquals([...Deno.readDirSync(outside)], []);
    });
  }
  await Deno.remove(outside, { recursive: true });
});

Deno.test("a pull cut short by SIGKILL leaves no visible blob and resumes where it was", async () => {
  const image = busyboxImage();
  const registry = await startBadRegistry(image, { slow: { bytes: 65_536, ms: 25 } });
  await using server = await Server.start({ registries: registriesConf(registry.host) });
  // Not by podman, whose pull reads on for ever when its connection is cut.
  const path = `/v4.0.0/libpod/images/pull?reference=${registry.host}/team/app:1`;
  const pulling = server.request("POST", path).catch(() => undefined);
  await until(() => {
    assert(staged(server) > 100_000);
    return Promise.resolve();
  });
  await server.crash();
  await pulling;
  assertEquals(ok(await server.podman("images", "-aq")), "");
  assertEquals(blobs(server).filter((name) => name === image.layers[0].digest.slice(7)), []);
  const before = registry.requests.length;
  ok(await server.podman("pull", `${registry.host}/team/app:1`));
  const ranges = registry.requests.slice(before).flatMap(({ kind, headers }) =>
    kind === "blob" ? [headers.range ?? ""] : []
  );
  assert(ranges.some((range) => /^bytes=[1-9]\d*-/.test(range)), `the pull began anew: ${ranges.join()}`);
  await registry.close();
});

/** Whole blobs in the server's store, by their hex. */
function blobs(server: Server): string[] {
  return files(`${server.folder}/root/blobs/sha256`);
}

/** Bytes of unfinished downloads. */
function staged(server: Server): number {
  const folder = `${server.folder}/root/blobs/staged`;
  return files(folder).reduce((sum, name) => sum + (sizeOf(`${folder}/${name}`)), 0);
}

function files(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap((entry) => {
      return entry.isDirectory ? files(`${folder}/${entry.name}`) : [entry.name];
    });
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}
