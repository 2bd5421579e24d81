/** Artifacts and patterns as mounts of real containers. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("artifacts and shell patterns are mounted as the files they stand for", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const add = async (name: string, fileName: string, raw: string, query = "") => {
    const path = `/libpod/artifacts/add?name=${name}&fileName=${fileName}${query}`;
    assertEquals((await server.request("POST", path, { raw })).status, 201);
  };
  const one = "localhost/one:1";
  const two = "localhost/two:1";
  await add(one, "weights", "lone\n");
  await add(two, "a.txt", "first\n");
  await add(two, "b.txt", "second\n", "&append=true");
  const create = async (body: Record<string, unknown>) => {
    const spec = { image, netns: { nsmode: "none" }, ...body };
    return await server.request("POST", "/libpod/containers/create", { body: spec });
  };
  /** What a script says in a container with these mounts. */
  const output = async (script: string, body: Record<string, unknown>) => {
    const { Id } = await (await create({ command: ["sh", "-c", script], ...body })).json();
    ok(await server.podman("start", Id));
    ok(await server.podman("wait", Id));
    return ok(await server.podman("logs", Id));
  };

  await t.step(
    "a lone file lies at the destination, or in it where that is a folder, for every user to read",
    async () => {
      const artifact_volumes = [
        { source: one, destination: "/deep/model" },
        { source: one, destination: "/etc" },
        { source: one, destination: "/tmp", name: "mine" },
      ];
      const script = "cat /deep/model /etc/weights /tmp/mine; echo x 2>/dev/null > /deep/model || echo kept";
      assertEquals(await output(script, { artifact_volumes, user: "1000" }), "lone\nlone\nlone\nkept\n");
    },
  );

  await t.step("several lie below it, or the one that is chosen, and are seen with mapped users too", async () => {
    const artifact_volumes = [
      { source: two, destination: "/all" },
      { source: two, destination: "/named", name: "n" },
      { source: two, destination: "/chosen", title: "b.txt" },
    ];
    const maps = [{ container_id: 0, host_id: 100000, size: 65536 }];
    const idmappings = { UIDMap: maps, GIDMap: maps, AutoUserNs: false, AutoUserNsOpts: {} };
    const script = "cd /all; cat *; ls; ls /named; cat /chosen";
    const expected = "first\nsecond\na.txt\nb.txt\nn-0\nn-1\nsecond\n";
    assertEquals(await output(script, { artifact_volumes }), expected);
    await Deno.chmod(server.folder, 0o711);
    assertEquals(await output(script, { artifact_volumes, idmappings, userns: { nsmode: "private" } }), expected);
  });

  await t.step("one that is not there is refused, and several files in the place of one", async () => {
    const absent = await create({ artifact_volumes: [{ source: "localhost/no:1", destination: "/x" }] });
    assertEquals([absent.status, (await absent.json()).cause], [500, "artifact does not exist"]);
    const { Id } = await (await create({ artifact_volumes: [{ source: two, destination: "/etc/passwd" }] })).json();
    const started = await server.podman("start", Id);
    assertStringIncludes(started.stderr, 'contains more than one blob and container path "/etc/passwd" is a file');
    await server.request("DELETE", `/libpod/artifacts/${encodeURIComponent(two)}`);
    const later = await server.request("POST", `/libpod/containers/${Id}/start`);
    assertEquals([later.status, (await later.json()).cause], [500, "artifact does not exist"]);
  });

  await t.step("a pattern is a bind for each path that it fits", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-glob-" });
    for (const name of ["a.conf", "b.conf", ".c.conf", "d.txt"]) await Deno.writeTextFile(`${folder}/${name}`, name);
    const mounts = [
      { type: "glob", source: `${folder}/*.conf`, destination: "/given", options: ["ro"] },
      { type: "glob", source: `${folder}/d.*`, destination: "" },
    ];
    assertEquals(await output(`ls /given; cat ${folder}/*`, { mounts }), "a.conf\nb.conf\nd.txt");
    const none = await create({ mounts: [{ type: "glob", source: `${folder}/*.no`, destination: "/x" }] });
    assertStringIncludes((await none.json()).message, `no file paths matching glob "${folder}/*.no"`);
    await Deno.remove(folder, { recursive: true });
  });
});
