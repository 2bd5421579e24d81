/**
 * The processes of a container as the real clients list them, and nothing else of the host.
 *
 * Tests of a folder run one after the other, and those of `blocked_processes_test.ts` keep `ps`, which reads the memory of every process of
 * the machine, waiting for half a minute.
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("top tells what runs in a container, and nothing else", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  await podman("run", "-d", "--name", "box", "--network=none", image, "sh", "-c", "sleep 611 & sleep 612; true");
  await podman("run", "-d", "--name", "other", "--network=none", "-u", "1234", image, "sleep", "613");
  const rows = (text: string) => text.trim().split("\n").map((line) => line.trim().split(/\s+/));
  await until(async () => assertEquals(rows(await podman("top", "box")).length, 4));

  await t.step("podman: its own columns, numbers as in the container", async () => {
    const [titles, first, ...rest] = rows(await podman("top", "box"));
    assertEquals(titles, ["USER", "PID", "PPID", "%CPU", "ELAPSED", "TTY", "TIME", "COMMAND"]);
    assertEquals([first[0], first[1], first[2], first[7]], ["root", "1", "0", "sh"]);
    assertEquals(rest.map(([, , ppid, , , , , ...command]) => [ppid, command.join(" ")]).sort(), [
      ["1", "sleep 611"],
      ["1", "sleep 612"],
    ]);
    assertEquals(rows(await podman("top", "other", "args", "user")), [["COMMAND", "USER"], ["sleep", "613", "1234"]]);
  });
  await t.step("podman: every column it has, names as the container has them", async () => {
    const one = async (column: string) => rows(await podman("top", "other", column))[1]?.join(" ") ?? "";
    const plain = { comm: "sleep", uid: "1234", user: "1234", ruser: "1234", huid: "1234", pgid: "1", nice: "0" };
    const rights = { capeff: "none", capamb: "none", seccomp: "filter", label: /^/, capbnd: /(^|,)CHOWN(,|$)/ };
    const groups = { group: "root", rgroup: "root", hgroup: "root", groups: "root", hgroups: "0", huser: /./ };
    const figures = { hpid: /^[0-9]{2,}$/, rss: /^[1-9]/, vsz: /^[1-9]/, state: "S", pcpu: /^0\.\d{3}$/ };
    const times = { etime: /^(\d+m)?[\d.]+s$/, time: "0s", stime: /^\d{4}-\d\d-\d\d .* UTC$/, tty: "?" };
    for (const [column, wanted] of Object.entries({ ...plain, ...rights, ...groups, ...figures, ...times })) {
      if (typeof wanted === "string") assertEquals(await one(column), wanted, column);
      else assertMatch(await one(column), wanted, column);
    }
    const full = "capinh,capprm,%p,%P,%a";
    assertEquals(rows(await podman("top", "other", full))[1], ["none", "none", "1", "0", "sleep", "613"]);
    // What the host calls a user is nothing to the container, which has names of its own.
    const uid = /^daemon:[^:]*:(\d+):/m.exec(await Deno.readTextFile("/etc/passwd"))![1];
    const entry = ["--user", uid, "--passwd-entry", `mine:x:${uid}:0::/:/bin/sh`];
    await podman("run", "-d", "--name", "named", "--network=none", ...entry, image, "sleep", "615");
    assertEquals(rows(await podman("top", "named", "user", "huser"))[1], ["mine", "daemon"]);
  });
  await t.step("podman: users of a container that has its own", async () => {
    await Deno.chmod(server.folder, 0o711);
    await podman("run", "-d", "--name", "mapped", "--network=none", "--uidmap=0:100000:65536", image, "sleep", "616");
    assertEquals(rows(await podman("top", "mapped", "user", "uid", "huid"))[1], ["root", "0", "100000"]);
  });
  await t.step("podman: arguments of ps", async () => {
    assertEquals(rows(await podman("top", "other", "-eo", "pid,args")), [["PID", "COMMAND"], ["1", "sleep", "613"]]);
  });
  await t.step("podman: processes of exec sessions", async () => {
    await podman("exec", "-d", "other", "sleep", "614");
    assertStringIncludes(await podman("top", "other", "pid,args"), "sleep 614");
  });
  await t.step("docker: ps -ef, and others", async () => {
    const [titles, ...processes] = rows(ok(await server.docker("top", "box")));
    assertEquals(titles, ["UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"]);
    assertEquals(processes.length, 3);
    assertStringIncludes(ok(await server.docker("top", "box", "-o", "pid,comm")), "sleep");
  });
  await t.step("docker: -ef, which we answer ourselves, says what ps says", async () => {
    const script = "sh -c 'sleep 617; true' '\u001b]0;odd\u0007' & exec sleep 618";
    await podman("run", "-d", "--name", "odd", "--network=none", image, "sh", "-c", script);
    const table = async (...args: string[]) =>
      // The part of a processor may be another one a moment later.
      rows(ok(await server.docker("top", "odd", ...args))).map((row) => row.toSpliced(3, 1));
    await until(async () => {
      const own = await table();
      assertStringIncludes(own.join("\n"), ".]0;odd.");
      // Two words are the arguments of ps itself. The ps of procps 4.0.7 writes another sign for a control character.
      const theirs = await table("-e", "-f");
      assertEquals(own, theirs.map((row) => row.map((word) => word === "?]0;odd?" ? ".]0;odd." : word)));
      assertEquals(own.length, 4);
    });
    await podman("rm", "-f", "-t", "0", "odd");
  });
  await t.step("a stream goes on until the client goes", async () => {
    const { Titles } = await (await server.request("GET", "/libpod/containers/box/top")).json();
    assertEquals(Titles.length, 8);
    const url = `${server.addresses[1].replace("tcp", "http")}/libpod/containers/box/top?stream=true&delay=1`;
    const reply = await fetch(url);
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let i = 0; i < 2; i++) assertEquals(JSON.parse((await reader.read()).value!).Processes.length, 3);
    await reader.cancel();
  });
  await t.step("refusals", async () => {
    const status = async (query: string) => (await server.request("GET", `/libpod/containers/${query}`)).status;
    assertEquals(await status("box/top?delay=0"), 400);
    assertEquals(await status("nope/top"), 404);
    assertEquals((await server.podman("top", "box", "--nosuch-option")).code, 125);
    const unknown = await server.podman("top", "box", "pid", "nosuch");
    assertEquals(unknown.code, 125);
    assertStringIncludes(unknown.stderr, "ps(1) failed with exit code 1: error:");
    await podman("stop", "-t", "0", "box");
    const stopped = await server.podman("top", "box");
    assert(stopped.code !== 0);
    assertStringIncludes(stopped.stderr, "top can only be used on running containers");
  });
});
