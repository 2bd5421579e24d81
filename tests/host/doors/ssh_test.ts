/** Clients on another machine, through a real sshd: Podman's connections and Docker's contexts. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { packagedCommand } from "../../fixtures/platform/test_cache.ts";
import { startSSH } from "../../fixtures/platform/ssh_server.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const cli = new URL("../../../lib/platform/entries/cli.ts", import.meta.url).pathname;

Deno.test("podman system connection and a docker context reach a server through SSH", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-ssh-" });
  await using ssh = await startSSH(folder);
  await using session = await Session.shared();
  const { server, image } = session;
  // Podman writes connections of root to the machine's own file, unless it is given another.
  const env = { HOME: folder, CONTAINERS_CONF: `${folder}/connections.conf`, XDG_RUNTIME_DIR: folder, PATH: ssh.path };
  await Deno.writeTextFile(env.CONTAINERS_CONF, "");
  const command = (...words: string[]) => run(words, { env, stdin: "from afar" });

  await t.step("podman: connection add, pull, run, exec, and the address on the command line", async () => {
    const address = `ssh://root@127.0.0.1:${ssh.port}`;
    const add = ["podman", "system", "connection", "add", "--identity", ssh.identity, "far"];
    ok(await command(...add, `${address}${server.socket}`), "add");
    // Podman 4.3 drops the socket's path, which its users write into the file themselves.
    const file = await Deno.readTextFile(env.CONTAINERS_CONF);
    await Deno.writeTextFile(env.CONTAINERS_CONF, file.replace(/uri = .*/, `uri = "${address}${server.socket}"`));
    const podman = async (...args: string[]) => ok(await command("podman", "--remote", ...args), args.join(" "));
    await podman("pull", "-q", "--tls-verify=false", image);
    assertEquals(await podman("run", "--rm", "-i", "--network=none", image, "cat"), "from afar");
    await podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "1000");
    assertEquals(await podman("exec", "-i", "box", "sh", "-c", "cat; echo , heard"), "from afar, heard\n");
    const url = ["--url", `${address}${server.socket}`, "--identity", ssh.identity];
    assertEquals(await podman(...url, "ps", "--format", "{{.Names}}"), "box\n");
  });
  const docker = async (...args: string[]) => ok(await command("docker", ...args), args.join(" "));
  await t.step("docker, with Docker's client on the far side: the socket's path is part of the address", async () => {
    const host = `ssh://root@127.0.0.1:${ssh.port}${server.socket}`;
    await docker("context", "create", "far", "--docker", `host=${host}`);
    assertEquals(await docker("--context", "far", "ps", "--format", "{{.Names}}"), "box\n");
    assertEquals(
      await docker("--context", "far", "exec", "-i", "box", "sh", "-c", "cat; echo , heard"),
      "from afar, heard\n",
    );
  });
  await t.step("docker, with gantry in the place of Docker's client on the far side", async () => {
    const program = await packagedCommand() ?? cli;
    // The context names no socket: gantry goes to the server of the user's own settings.
    const script =
      `#!/bin/sh\nexport GANTRY_LISTEN=unix://${server.socket}\nexec ${Deno.execPath()} run -A --quiet ${program} "$@"\n`;
    await Deno.writeTextFile(`${ssh.farPrograms}/docker`, script, { mode: 0o755 });
    await docker("context", "create", "short", "--docker", `host=ssh://root@127.0.0.1:${ssh.port}`);
    assertEquals(
      await docker("--context", "short", "exec", "-i", "box", "sh", "-c", "cat; echo , heard"),
      "from afar, heard\n",
    );
    assertEquals(await docker("--context", "short", "rm", "-f", "box"), "box\n");
  });
  await t.step("dial-stdio says in one line that nobody is there", async () => {
    const absent = [Deno.execPath(), "run", "-A", "--quiet", cli, "--host", `unix://${folder}/absent.sock`];
    const { code, stderr } = await run([...absent, "system", "dial-stdio"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `gantry: Connect to "unix://${folder}/absent.sock": there is no such file or folder`);
    assert(stderr.trim().split("\n").length === 1, stderr);
  });
  await Deno.remove(folder, { recursive: true });
});
