/** The server as a service: its units, and their installation with a manager that stands in for systemd. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  installService,
  type ServicePlace,
  uninstallService,
} from "../../../lib/platform/entries/service/install_service.ts";
import { serviceUnits } from "../../../lib/platform/entries/service/service_units.ts";
import { libraryProgram, serveProgram } from "../../../lib/platform/entries/service/serve_program.ts";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { ok, run } from "../../fixtures/run.ts";
import { parseServeOptions } from "../../../lib/platform/entries/serve_options.ts";
import process from "node:process";

function placeAt(folder: string, calls: string[], told: string[], more: Partial<ServicePlace> = {}): ServicePlace {
  return {
    folder,
    systemctl: (...args) => Promise.resolve(void calls.push(args.join(" "))),
    command: ["/usr/bin/deno", "run", "-A", "/srv/gantry/cli.ts", "serve"],
    home: "/root",
    isUser: false,
    tell: (line) => void told.push(line),
    ...more,
  };
}

Deno.test("serviceUnits() writes what systemd reads back as the same words", () => {
  const command = ["/opt/my deno", "run", "100%.ts", "serve"];
  const units = serviceUnits({ command, args: ["--root", "/data/$x"], socket: "/run/g%/s", home: "/root" });
  const service = units.get("gantry.service") ?? "";
  assertStringIncludes(
    service,
    'ExecStart="/opt/my deno" run 100%%.ts serve --no-setup --listen fd:// --root /data/$$x\n',
  );
  for (
    const line of [
      "Type=notify",
      "KillMode=process",
      "Delegate=yes",
      "Requires=gantry.socket",
      "Environment=HOME=/root",
    ]
  ) {
    assertStringIncludes(service, `\n${line}\n`);
  }
  assertStringIncludes(units.get("gantry.socket") ?? "", "\nListenStream=/run/g%%/s\nSocketMode=0600\n");
  const packaged = serviceUnits({ command: ["/g", "serve"], args: [], socket: "%t/g/s%", environmentFile: "/etc/g" });
  assertStringIncludes(packaged.get("gantry.socket") ?? "", "\nListenStream=%t/g/s%%\n");
  assertStringIncludes(packaged.get("gantry.service") ?? "", "\nEnvironmentFile=-/etc/g\n");
  const user = serviceUnits({ command, args: [], socket: "/run/user/9/s", isUser: true });
  assertStringIncludes(user.get("gantry.service") ?? "", "WantedBy=default.target");
});

Deno.test("defect: the command of a service that one file installs is that file, under Deno as under Node", async () => {
  const [execPath, script] = ["/usr/bin/deno", "/opt/gantry/gantry.mjs"];
  const bundle = { execPath, script, module: "file:///opt/gantry/gantry.mjs", isDeno: true };
  assertEquals(await serveProgram(bundle), [execPath, "run", "-A", "--no-config", script, "serve"]);
  assertEquals(await serveProgram({ ...bundle, isDeno: false }), [execPath, script, "serve"]);
  const far = "https://example.com/gantry/lib/platform/entries/service/serve_program.ts";
  const cli = "https://example.com/gantry/lib/platform/entries/cli.ts";
  assertEquals(await serveProgram({ ...bundle, module: far }), [execPath, "run", "-A", cli, "serve"]);
  // The bundle itself, as it is made: it finds no path of the tree that it was made from.
  const folder = await Deno.makeTempDir();
  const code = await bundled("lib/platform/entries/service/serve_program.ts", "node");
  await Deno.writeTextFile(`${folder}/gantry.mjs`, `${code}\nconsole.log(JSON.stringify(await serveProgram()));\n`);
  const said = await run([Deno.execPath(), "run", "-A", `${folder}/gantry.mjs`]);
  assertEquals(JSON.parse(ok(said)), [Deno.execPath(), "run", "-A", "--no-config", `${folder}/gantry.mjs`, "serve"]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("libraryProgram() is the library's own module, or gantry.mjs beside the file that has the library, or none", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const module = `file://${folder}/lib/platform/entries/service/serve_program.js`;
    const installed = { execPath: "/node", script: "/app/main.mjs", module, isDeno: false };
    const cli = `${folder}/lib/platform/entries/cli.js`;
    const flags = ["--experimental-sqlite"];
    assertEquals(await libraryProgram({ ...installed, flags }), ["/node", ...flags, cli]);
    assertEquals(await libraryProgram({ ...installed, isDeno: true }), ["/node", "run", "-A", cli]);
    const far = { ...installed, module: module.replace("file://", "https://example.com"), isDeno: true };
    assertEquals((await libraryProgram(far))?.at(-1), `https://example.com${cli}`);
    const bundle = { ...installed, module: `file://${folder}/app.mjs` };
    assertEquals(await libraryProgram(bundle), undefined);
    await Deno.writeTextFile(`${folder}/gantry.mjs`, "");
    assertEquals(await libraryProgram(bundle), ["/node", `${folder}/gantry.mjs`]);
    const deno = [...["run", "-A", "--no-config"], `${folder}/gantry.mjs`];
    assertEquals(await libraryProgram({ ...bundle, isDeno: true }), ["/node", ...deno]);
    // One file of `deno compile` would run itself again.
    assertEquals(await libraryProgram({ ...bundle, isDeno: true, isCompiled: true }), undefined);
    // The project's own packages, or a configuration that fetches them.
    await Deno.mkdir(`${folder}/scripts/serve`, { recursive: true });
    const config = `${folder}/scripts/serve/deno.json`;
    await Deno.writeTextFile(config, "{}");
    assertEquals((await libraryProgram({ ...installed, isDeno: true }))?.[3], `--config=${config}`);
    await Deno.mkdir(`${folder}/node_modules`);
    assertEquals(await libraryProgram({ ...installed, isDeno: true }), ["/node", "run", "-A", cli]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("installService() writes, enables and starts the units, and uninstallService() takes them away", async () => {
  const folder = await Deno.makeTempDir();
  const calls: string[] = [];
  const told: string[] = [];
  const place = placeAt(`${folder}/units`, calls, told);
  await installService(["--root", "/data/gantry", "--runroot", "/run/other"], place);
  assertEquals(calls, [
    "daemon-reload",
    "enable gantry.socket gantry.service",
    "restart gantry.socket gantry.service",
  ]);
  const socket = await Deno.readTextFile(`${folder}/units/gantry.socket`);
  assertStringIncludes(socket, "ListenStream=/run/other/gantry.sock\n");
  assertStringIncludes(told.at(-1) ?? "", "the server runs at /run/other/gantry.sock");
  calls.length = 0;
  await uninstallService(place);
  assertEquals(calls, ["disable --now gantry.service", "disable --now gantry.socket", "daemon-reload"]);
  assertEquals([...Deno.readDirSync(`${folder}/units`)], []);
  calls.length = 0;
  await uninstallService(place);
  assertEquals(calls, ["daemon-reload"], "none is no error");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("installService() refuses wrong options before it writes anything, and tells of a program that may go", async () => {
  const folder = await Deno.makeTempDir();
  const told: string[] = [];
  const place = placeAt(`${folder}/units`, [], told, { command: ["/root/.npm/_npx/1/deno", "run", "cli.ts", "serve"] });
  const rows: [args: string[], message: string][] = [
    [["--listen", "tcp://127.0.0.1:1"], "a service has no --listen"],
    [["--listen=fd://"], "no socket was passed on"],
    [["--rot", "/x"], "Read options: "],
  ];
  for (const [args, message] of rows) await assertRejects(() => installService(args, place), SyntaxError, message);
  assertEquals([...Deno.readDirSync(folder)], []);
  await installService([], place);
  assertStringIncludes(told.at(-1) ?? "", "npx's cache");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("--listen fd:// is every socket that systemd passes on to this process", () => {
  const listen = (env: Record<string, string | undefined>, ...more: string[]) =>
    parseServeOptions(["--listen", "fd://", ...more], env).listen;
  assertEquals(listen({ LISTEN_FDS: "2", LISTEN_PID: String(process.pid) }), ["fd://3", "fd://4"]);
  assertEquals(listen({ LISTEN_FDS: "1" }, "--listen", "fd://7"), ["fd://3", "fd://7"]);
  for (const env of [{}, { LISTEN_FDS: "0" }, { LISTEN_FDS: "x" }, { LISTEN_FDS: "1", LISTEN_PID: "1" }]) {
    let message = "";
    try {
      listen(env);
    } catch (error) {
      message = String(error);
    }
    assert(message.startsWith('SyntaxError: Read options: "--listen fd://": '), message);
  }
});
