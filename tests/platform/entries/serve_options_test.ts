import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { parseServeOptions } from "../../../lib/platform/entries/serve_options.ts";

Deno.test("parseServeOptions() has a default for everything", () => {
  assertEquals(parseServeOptions([], {}, 0), {
    listen: ["unix:///run/gantry/gantry.sock"],
    root: "/var/lib/gantry",
    runroot: "/run/gantry",
    quadletFolder: "/etc/containers/systemd",
    logLevel: "info",
    logFormat: "text",
    dockerHub: true,
    setup: true,
    help: false,
  });
});

Deno.test("parseServeOptions() gives every root a runroot and a socket of its own", () => {
  const [a, b] = ["/srv/a", "/srv/b"].map((root) => parseServeOptions(["--root", root], {}, 0));
  assertNotEquals(a!.runroot, b!.runroot);
  assertEquals(a!.listen, [`unix://${a!.runroot}/gantry.sock`]);
  assertEquals(parseServeOptions(["--root=/var/lib/gantry/"], {}, 0).runroot, "/run/gantry");
});

Deno.test("parseServeOptions() has only the usual root's server run the system's quadlets", () => {
  const folderOf = (...args: string[]) => parseServeOptions(args, {}, 0).quadletFolder;
  assertEquals(folderOf(), "/etc/containers/systemd");
  assertEquals(folderOf("--root=/srv/a"), undefined);
  assertEquals(folderOf("--root=/srv/a", "--quadlet-dir=/srv/q"), "/srv/q");
});

Deno.test("parseServeOptions() keeps to the user's folders without root", () => {
  const env = { XDG_RUNTIME_DIR: "/run/user/1000", XDG_DATA_HOME: "/home/u/.data" };
  const { root, listen } = parseServeOptions([], env, 1000);
  assertEquals(root, "/home/u/.data/gantry");
  assertEquals(listen, ["unix:///run/user/1000/gantry/gantry.sock"]);
});

Deno.test("parseServeOptions() passes over the divider that stands in front of options, and no other one", () => {
  const { root, setup } = parseServeOptions(["--", "--root=/srv/a", "--no-setup"], {}, 0);
  assertEquals([root, setup], ["/srv/a", false]);
  assertThrows(() => parseServeOptions(["--root=/srv/a", "--", "--no-setup"], {}, 0), SyntaxError, "--no-setup");
  assertThrows(() => parseServeOptions(["--", "--", "--no-setup"], {}, 0), SyntaxError, "--no-setup");
});

Deno.test("parseServeOptions() takes variables, and options over them", () => {
  const env = {
    GANTRY_LISTEN: "tcp://127.0.0.1:1, unix:///a.sock",
    GANTRY_ROOT: "/env/root",
    GANTRY_RUNROOT: "/env/run",
    GANTRY_RUNTIME: "crun",
    GANTRY_REGISTRIES_CONF: "/env/registries.conf",
    GANTRY_CONTAINERS_CONF: "/env/containers.conf",
    GANTRY_TOKEN_FILE: "/env/token",
    GANTRY_LOG_LEVEL: "debug",
    GANTRY_LOG_FORMAT: "json",
    GANTRY_NO_DOCKER_HUB: "1",
    GANTRY_NO_SETUP: "1",
  };
  assertEquals(parseServeOptions([], env, 0), {
    listen: ["tcp://127.0.0.1:1", "unix:///a.sock"],
    root: "/env/root",
    runroot: "/env/run",
    runtime: "crun",
    registriesConf: "/env/registries.conf",
    containersConf: "/env/containers.conf",
    tokenFile: "/env/token",
    logLevel: "debug",
    logFormat: "json",
    dockerHub: false,
    setup: false,
    help: false,
  });
  const args = ["--listen", "unix:///b.sock", "--listen=tcp://[::1]:2", "--root=/r", "--runtime=/opt/crun"];
  const over = parseServeOptions(args, env, 0);
  assertEquals(over.listen, ["unix:///b.sock", "tcp://[::1]:2"]);
  assertEquals([over.root, over.runroot, over.runtime], ["/r", "/env/run", "/opt/crun"]);
});

Deno.test("parseServeOptions() refuses what it does not know", () => {
  for (
    const args of [
      ["--bogus"],
      ["word"],
      ["--root"],
      ["--root="],
      ["--listen=ftp://x"],
      ["--runtime=docker"],
      ["--log-level=loud"],
      ["--log-format=xml"],
      ["--no-setup=yes"],
      ["--no-docker-hub=yes"],
    ]
  ) {
    assertThrows(() => parseServeOptions(args, {}, 0), SyntaxError, undefined, args.join(" "));
  }
});

Deno.test("parseServeOptions() takes several folders of hooks, and the variable where none is given", () => {
  const env = { GANTRY_HOOKS_DIR: "/a, /b" };
  assertEquals(parseServeOptions([], env).hookFolders, ["/a", "/b"]);
  assertEquals(parseServeOptions(["--hooks-dir", "/c", "--hooks-dir=/d"], env).hookFolders, ["/c", "/d"]);
  assertEquals(parseServeOptions([], {}).hookFolders, undefined);
});

Deno.test("parseServeOptions() reads the interval of updates, from a minute on", () => {
  const { autoUpdate, autoUpdateNotify } = parseServeOptions(["--auto-update=90m", "--auto-update-notify"], {}, 0);
  assertEquals([autoUpdate, autoUpdateNotify], [5_400_000, true]);
  assertEquals(parseServeOptions([], { GANTRY_AUTO_UPDATE: "24h" }, 0).autoUpdate, 86_400_000);
  for (const text of ["soon", "1s", "1000h", "-5m"]) {
    assertThrows(() => parseServeOptions([`--auto-update=${text}`], {}, 0), SyntaxError, "--auto-update");
  }
});

Deno.test("parseServeOptions() takes certificates as a whole, for TCP, with full paths", () => {
  const tcp = "--listen=tcp://127.0.0.1:0";
  const parse = (...args: string[]) => parseServeOptions(args, {}, 0).tls;
  assertEquals(parse(tcp), undefined);
  assertEquals(parse(tcp, "--tls-cert=/a.pem", "--tls-key=/a.key"), { cert: "/a.pem", key: "/a.key" });
  const env = { GANTRY_TLS_CERT: "/a.pem", GANTRY_TLS_KEY: "/a.key", GANTRY_TLS_CLIENT_CA: "/ca.pem" };
  assertEquals(parseServeOptions(["--listen=fd://3"], env, 0).tls, {
    cert: "/a.pem",
    key: "/a.key",
    clientCA: "/ca.pem",
  });
  assertThrows(() => parse(tcp, "--tls-cert=/a.pem"), SyntaxError, '"--tls-key" is missing');
  assertThrows(() => parse(tcp, "--tls-client-ca=/a.pem"), SyntaxError, '"--tls-cert" is missing');
  assertThrows(() => parse("--tls-cert=/a.pem", "--tls-key=/a.key"), SyntaxError, "is for TCP");
});
