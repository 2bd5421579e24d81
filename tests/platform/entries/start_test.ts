/** The lines of a server at its start, and the reason where it does not start. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { HostInfo } from "../../../lib/engine/ports/host_facts.ts";
import { startFailure, startStep } from "../../../lib/platform/entries/start/start_failure.ts";
import { startLines } from "../../../lib/platform/entries/start/tell_start.ts";
import { openHostEngine } from "../../../lib/platform/entries/host_engine.ts";

const STEP = { text: 'Open root "/r"', option: "--root" };

Deno.test("a failure of the start is one line: the step, the reason, and what would help", () => {
  const system = (code: string, more = {}) =>
    Object.assign(new Error(`${code}: in the words of the system`), { code, ...more });
  const sqlite = (message: string) => Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR" });
  const rows: [error: Error, said: string][] = [
    [system("EROFS"), 'Open root "/r": the file system can only be read; choose another place with --root'],
    [system("ENOSPC"), 'Open root "/r": the disk is full; free some space, or choose another place with --root'],
    [
      sqlite("database or disk is full"),
      'Open root "/r": the disk is full; free some space, or choose another place with --root',
    ],
    [
      sqlite("file is not a database"),
      `Open root "/r": its gantry.db is no database of Gantry's; move that file away, or choose another place with --root`,
    ],
    [
      system("EADDRINUSE"),
      'Open root "/r": another program listens there; end that one, or choose another place with --root',
    ],
    [system("EINVAL", { syscall: "read" }), "EINVAL: in the words of the system"],
    [
      system("EINVAL", { syscall: "listen", port: 8080, address: "192.0.2.1" }),
      'Open root "/r": this machine does not have that address; choose another place with --root',
    ],
    [
      system("EINVAL", { syscall: "listen", port: -1, address: "/x" }),
      'Open root "/r": the path is too long for a socket, which has 107 bytes at most; choose another place with --root',
    ],
    [system("EWHATEVER"), "EWHATEVER: in the words of the system"],
    [new EngineError("in_use", "has a sentence of its own"), "has a sentence of its own"],
  ];
  for (const [error, said] of rows) {
    const failure = startFailure(STEP, error);
    assert(failure instanceof Error && !failure.message.includes("\n"));
    assertEquals(failure.message, said);
  }
});

Deno.test("a root that is a file, or holds what is no database, is named with what would help", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/file`, "");
    await Deno.mkdir(`${folder}/other`);
    await Deno.writeTextFile(`${folder}/other/gantry.db`, "no database\n".repeat(500));
    const open = (root: string) => startStep(STEP, () => openHostEngine({ root, runroot: `${folder}/run` }));
    await assertRejects(() => open(`${folder}/file/root`), Error, "a part of the path is a file");
    await assertRejects(() => open(`${folder}/other`), Error, "is no database of Gantry's; move that file away");
    for (const what of ["registries", "containers"]) {
      const place = { root: `${folder}/root`, runroot: `${folder}/run`, [`${what}Conf`]: `${folder}/absent` };
      const said =
        `Read ${what} configuration "${folder}/absent": there is no such file or folder; choose another place with --${what}-conf`;
      await assertRejects(() => openHostEngine(place), Error, said);
    }
    const named = (more: { authFile?: string; quadletFolder?: string }) =>
      openHostEngine({ root: `${folder}/root`, runroot: `${folder}/run`, ...more });
    await Deno.writeTextFile(`${folder}/auth.json`, "{");
    await assertRejects(
      () => named({ authFile: `${folder}/auth.json` }),
      Error,
      `Read auth file "${folder}/auth.json": `,
    );
    await assertRejects(() => named({ authFile: folder }), Error, `Read auth file "${folder}": it is a folder`);
    await assertRejects(
      () => named({ quadletFolder: `${folder}/auth.json` }),
      Error,
      "it is no folder; choose another",
    );
    await Deno.writeTextFile(`${folder}/registries.conf`, "[[registry]]\nlocation = \n");
    await assertRejects(
      () =>
        openHostEngine({
          root: `${folder}/root`,
          runroot: `${folder}/run`,
          registriesConf: `${folder}/registries.conf`,
        }),
      SyntaxError,
      `registries.conf": line 2, column 12: `,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a server begins with what it found, little space is a warning, and a line to try", () => {
  const host = {
    runtime: { name: "crun", version: "crun version 1.8.1\ncommit: x" },
    networkBackend: { name: "netavark", version: "netavark 1.4.0" },
    cgroupVersion: "v2",
    cgroupControllers: ["memory"],
    graphRoot: "/r",
    // Nothing else of a host is read.
  } as unknown as HostInfo;
  const lines = (info: Partial<HostInfo>, { bySudo = false, free = 4 * 2 ** 30 } = {}) =>
    startLines({ host: { ...host, ...info }, free }, ["unix:///s", "tcp://127.0.0.1:1"], bySudo).map((
      { level, text },
    ) => `${level}: ${text}`);
  assertEquals(lines({}), [
    "info: containers by crun 1.8.1, limits by cgroups v2, networks by netavark 1.4.0, 4.0 GiB free in /r",
    "info: try: podman --url unix:///s run --rm docker.io/library/alpine echo hello",
  ]);
  const [found, warning, sample] = lines({ cgroupControllers: [] }, { bySudo: true, free: 10 });
  assertMatch(found, /crun 1.8.1, no limits, .* 0.0 GiB free/);
  assertMatch(warning, /^warn: \/r: little space is left/);
  assertMatch(sample, /^info: try: sudo podman --url/);
  assertMatch(startLines({ unavailable: "no root" }, [], false)[0].text, /^without containers \(no root\)/);
});

Deno.test("openHostEngine() names the folder that a caller without types left out", async () => {
  for (const [options, name] of [[{}, "root"], [{ root: "/r" }, "runroot"], [{ root: "/r", runroot: "" }, "runroot"]]) {
    const error = await assertRejects(
      () => openHostEngine(options as Parameters<typeof openHostEngine>[0]),
      EngineError,
    );
    assertEquals(error.code, "invalid");
    assertMatch(error.message, new RegExp(`^Open engine: the option "${name}" is missing: name a folder for what `));
  }
});
