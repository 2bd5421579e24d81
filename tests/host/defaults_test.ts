/** What a machine's owner chooses for containers in containers.conf, as containers on a real host see it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../fixtures/run.ts";
import { Session } from "../fixtures/session.ts";

const SCRIPT = `ulimit -Sn; ulimit -Hn; umask; echo $FROM_CONF; hostname; sed -n 's/CapBnd:\\t//p' /proc/self/status
  df -k /dev/shm | awk 'END { print $2 }'; ls /sys/class/net; cat /given/file; echo; readlink /etc/mtab; cat /etc/hosts`;

Deno.test("containers get what containers.conf gives where nothing is asked for", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-conf-" });
  await Deno.writeTextFile(`${folder}/file`, "shared");
  await Deno.writeTextFile(`${folder}/hosts`, "192.0.2.1 elsewhere\n");
  const containers = `
    [containers]
    default_ulimits = ["nofile=512:1024"]
    umask = "0027"
    env = ["FROM_CONF=yes", "PATH=/nowhere"]
    default_capabilities = ["CHOWN"]
    container_name_as_hostname = true
    host_containers_internal_ip = "192.0.2.9"
    base_hosts_file = "${folder}/hosts"
    netns = "none"
    shm_size = "1024b"
    log_size_max = 9000
    volumes = ["${folder}:/given:ro"]
    label_users = true
  `;
  await using session = await Session.start({ containers });
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));

  await t.step("in Docker's tree", async () => {
    const text = ok(
      await server.docker("run", "--name", "my_box", "--add-host=gate:host-gateway", image, "sh", "-c", SCRIPT),
    );
    const [soft, hard, umask, variable, hostname, caps, shm, links, file, mtab, ...hosts] = text.split("\n");
    assertEquals([soft, hard, umask, variable, hostname], ["512", "1024", "0027", "yes", "mybox"]);
    assertEquals([BigInt(`0x${caps}`), shm, links, file, mtab], [1n, "4", "lo", "shared", "/proc/mounts"], text);
    assertStringIncludes(hosts.join("\n"), "192.0.2.9\thost.containers.internal host.docker.internal");
    assertStringIncludes(text, "192.0.2.9\tgate");
    assertStringIncludes(text, "192.0.2.1\telsewhere");
  });

  await t.step("in the native tree, where a request's own words win", async () => {
    const { Id } = await (await server.request("POST", "/libpod/containers/create", {
      body: { image, command: ["true"], umask: "0077", netns: { nsmode: "host" } },
    })).json();
    const facts = await (await server.request("GET", `/libpod/containers/${Id}/json`)).json();
    assertEquals([facts.Config.Umask, facts.HostConfig.NetworkMode], ["0077", "host"]);
    assertEquals(facts.HostConfig.LogConfig.Size, "9kB");
    assertEquals(facts.HostConfig.Ulimits, [{ Name: "RLIMIT_NOFILE", Soft: 512, Hard: 1024 }]);
  });

  await t.step("a setting nobody listens to is named, and one that cannot be stops the server", async () => {
    assertStringIncludes(server.stderr, "containers.conf: containers.label_users is not a setting of this engine");
    await Deno.writeTextFile(`${folder}/bad.conf`, "[containers]\ninit = 1\n");
    const script = new URL("../../scripts/serve.ts", import.meta.url).pathname;
    const args = ["--no-setup", `--containers-conf=${folder}/bad.conf`, `--root=${folder}/r`, `--runroot=${folder}/rr`];
    const ended = await run([Deno.execPath(), "run", "-A", "--quiet", script, ...args]);
    assertEquals(ended.code, 1);
    assertStringIncludes(ended.stderr, `bad.conf": "containers.init": 1 is not true or false`);
  });
  await Deno.remove(folder, { recursive: true });
});
