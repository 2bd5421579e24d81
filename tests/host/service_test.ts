/** The server as systemd runs it: with a socket that was passed on, a word that it is ready, and an end with the machine's. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { hostPaths } from "../../lib/platform/linux/helpers/paths.ts";
import { notifySockets } from "../../lib/platform/linux/processes/notify_sockets.ts";
import { ok, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

/** Opens a socket that listens as descriptor 3, and becomes the program behind its path. */
const PASSES = `use POSIX (); $^F = 9;
my $path = shift; socket(my $s, 1, 1, 0) or die; bind($s, pack('S a*', 1, "$path\\0")) or die "bind: $!"; listen($s, 9) or die;
POSIX::dup2(fileno($s), 3) if fileno($s) != 3; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec @ARGV`;

Deno.test("a server takes the socket that was passed on, says that it is ready, and stops containers as the host goes down", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-service-" });
  const socket = `${folder}/passed.sock`;
  await using told = await notifySockets(hostPaths(`${folder}/root`, `${folder}/run`)).open("server");
  await Deno.mkdir(`${folder}/bin`);
  await Deno.writeTextFile(`${folder}/bin/systemctl`, "#!/bin/sh\necho stopping; exit 1\n", { mode: 0o755 });
  await using session = await Session.start({
    through: ["perl", "-e", PASSES, socket],
    args: ["--listen=fd://"],
    env: { NOTIFY_SOCKET: `${told.folder}/notify.sock`, PATH: `${folder}/bin:${Deno.env.get("PATH")}` },
  });
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  assertEquals((await runOk(["curl", "-s", "--unix-socket", socket, "http://d/_ping"])).trim(), "OK");
  assertStringIncludes(server.addresses.join(), `unix://${socket}`);
  for await (const message of told.messages) {
    assertEquals(message, "READY=1\n");
    break;
  }
  await podman("pull", "-q", image);
  const script = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done";
  await podman("run", "-d", "--name", "box", "--network=none", "--restart=unless-stopped", image, "sh", "-c", script);
  await until(async () => assertEquals((await podman("logs", "box")).trim(), "up"));
  assertEquals((await server.stop()).code, 0);
  server.options.through = [];
  server.options.args = [];
  await server.launch();
  assertEquals((await podman("logs", "box")).trim(), "up\nbye");
  assertEquals(
    (await podman("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", "box")).trim(),
    "exited 7",
  );
  await Deno.remove(folder, { recursive: true });
});
