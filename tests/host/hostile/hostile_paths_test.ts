/** Files that the server writes where a request says so, in folders where a container puts links. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

Deno.test("logs, pid files and health logs are written through no link of a container", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const folder = `${server.folder}/shared`;
  const outside = `${server.folder}/outside`;
  for (const path of [folder, outside]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${outside}/victim`, "whole\n");
  const bind = ["--network=none", "-v", `${folder}:/shared`];
  ok(await server.podman("run", "-d", "--name", "links", ...bind, image, "sleep", "1000"));
  const inside = async (script: string) => ok(await server.podman("exec", "links", "sh", "-c", script));
  const assertWhole = async () => {
    assertEquals(await Deno.readTextFile(`${outside}/victim`), "whole\n");
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["victim"]);
  };
  await inside(`ln -s ${outside} /shared/away; mkdir /shared/real; ln -s ${outside}/victim /shared/real/file`);
  const create = async (spec: Record<string, unknown>) => {
    const body = { image, netns: { nsmode: "none" }, command: ["sh", "-c", "echo said; sleep 1000"], ...spec };
    const reply = await server.request("POST", "/libpod/containers/create", { body });
    return { status: reply.status, ...await reply.json() };
  };
  const start = async (id: string) => {
    const reply = await server.request("POST", `/libpod/containers/${id}/start`);
    const { message = "" } = reply.status === 204 ? {} : await reply.json();
    return { status: reply.status, message };
  };
  const log = (path: string, size = 0) => ({ log_configuration: { driver: "k8s-file", path, size } });

  await t.step("a folder that is a link is refused, at a start too", async () => {
    for (const spec of [{ conmon_pid_file: `${folder}/away/pid` }, log(`${folder}/away/log`)]) {
      const { status, message } = await create(spec);
      assert(status >= 400);
      assertStringIncludes(message, "symbolic link");
    }
    for (const spec of [{ conmon_pid_file: `${folder}/later/pid` }, log(`${folder}/later/log`)]) {
      await Deno.mkdir(`${folder}/later`);
      const { Id, status, message } = await create(spec);
      assertEquals(status, 201, message);
      await inside(`rmdir /shared/later; ln -s ${outside} /shared/later`);
      const started = await start(Id);
      assert(started.status >= 400);
      assertStringIncludes(started.message, "symbolic link");
      await inside("rm /shared/later");
    }
    await assertWhole();
  });

  await t.step("a pid file takes a link's place, and a log whose file is a link is refused", async () => {
    const { Id } = await create({ conmon_pid_file: `${folder}/real/file` });
    assertEquals((await start(Id)).status, 204);
    const { isSymlink, size } = await Deno.lstat(`${folder}/real/file`);
    assert(!isSymlink && size > 0);
    await inside(`rm /shared/real/file; ln -s ${outside}/victim /shared/real/file`);
    const logged = await create(log(`${folder}/real/file`));
    const refused = await start(logged.Id);
    assert(refused.status >= 400);
    assertStringIncludes(refused.message, "not a plain file");
    // Nor is it read: the answer breaks off.
    await Deno.writeTextFile(`${outside}/victim`, "2026-01-01T00:00:00.000000000+00:00 stdout F whole\n");
    const { stdout, stderr } = await server.podman("logs", logged.Id);
    assert(!`${stdout}${stderr}`.includes("whole"), stdout);
    await Deno.writeTextFile(`${outside}/victim`, "whole\n");
    await assertWhole();
  });

  await t.step("a log that grows past its size follows no link either", async () => {
    const { Id } = await create({
      ...log(`${folder}/real/growing`, 4096),
      command: ["sh", "-c", "while true; do echo a line that fills the log quickly; done"],
    });
    await inside(`ln -s ${outside}/victim /shared/real/growing.tmp`);
    assertEquals((await start(Id)).status, 204);
    // The supervisor cannot go on, and ends: the container has done that to itself.
    const { State } = await (await server.request("GET", `/libpod/containers/${Id}/json`)).json();
    await until(() =>
      Deno.stat(`/proc/${State.ConmonPid}`).then(() => Promise.reject(new Error("still there")), () => {})
    );
    await assertWhole();
    await server.request("DELETE", `/libpod/containers/${Id}?force=true&timeout=0`);
  });

  await t.step("a log is where it was asked for, and is cut at its size", async () => {
    const { Id } = await create({
      ...log(`${folder}/real/cut`, 4096),
      command: ["sh", "-c", "for i in $(seq 500); do echo line $i of the log; done; sleep 1000"],
    });
    assertEquals((await start(Id)).status, 204);
    await until(async () => assertStringIncludes(ok(await server.podman("logs", Id)), "line 500 of the log"));
    assert((await Deno.lstat(`${folder}/real/cut`)).size <= 4096);
    ok(await server.podman("rm", "-f", "-t", "0", Id));
    assert(!(await Deno.readTextFile("/proc/self/mountinfo")).includes(Id), "nothing stays mounted");
    assertStringIncludes(await Deno.readTextFile(`${folder}/real/cut`), "line 500");
  });

  await t.step("a health log goes through no link", async () => {
    await Deno.mkdir(`${folder}/health`);
    const spec = { healthLogDestination: `${folder}/health`, healthconfig: { Test: ["CMD", "true"], Interval: 1e12 } };
    const { Id, message } = await create(spec);
    assert(Id, message);
    assertEquals((await start(Id)).status, 204);
    const check = async () => await (await server.request("GET", `/libpod/containers/${Id}/healthcheck`)).text();
    await check();
    assertStringIncludes(await Deno.readTextFile(`${folder}/health/${Id}-healthcheck.log`), "Status");
    await inside(`rm -r /shared/health; ln -s ${outside} /shared/health`);
    await check();
    await assertWhole();
    assertStringIncludes(server.stderr, "symbolic link");
  });

  await t.step("a container that flips a log's file between starts wins nothing", async () => {
    await inside("mkdir /shared/race");
    const flip = `cd /shared/race; while true; do ln -sf ${outside}/victim l; mv -f l file; : > f; mv -f f file; done`;
    ok(await server.podman("run", "-d", "--name", "flips", ...bind, image, "sh", "-c", flip));
    for (let round = 0; round < (isLongRun ? 200 : 25); round++) {
      const { Id } = await create({ ...log(`${folder}/race/file`), command: ["echo", "written"] });
      await start(Id);
      await server.request("DELETE", `/libpod/containers/${Id}?force=true`);
    }
    await assertWhole();
  });
});
