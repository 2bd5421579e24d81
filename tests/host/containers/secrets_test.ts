/** Secrets as the clients make and use them, on a real host. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const VALUE = "hush-hush-4711";
const OTHER = "another-hush-4712";

/** Files of a server that hold a text, plain or as base64 wherever it begins. */
async function holders(folder: string, text: string): Promise<string[]> {
  // Each of the three ways in which bytes fall into groups of three; the first and last letters depend on what is beside them.
  const coded = ["", "x", "xx"].map((before) => btoa(before + text + "x".repeat(6)).slice(4, -12));
  const patterns = [text, ...coded].flatMap((pattern) => ["-e", pattern]);
  const found = await run(["grep", "-rlaF", ...patterns, `${folder}/root`, `${folder}/run`]);
  return found.stdout.split("\n").filter((path) => path !== "");
}

Deno.test("secrets are made, listed and shown, and mounted where no disk and no image gets them", async (t) => {
  await using session = await Session.start({ tcp: true });
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const file = await Deno.makeTempFile({ prefix: "gantry-secret-" });
  await Deno.writeTextFile(file, VALUE);

  await t.step("podman secret create, ls, inspect, exists, rm", async () => {
    const id = (await podman("secret", "create", "--label", "a=b", "token", file)).trim();
    assertMatch(id, /^[0-9a-f]{25}$/);
    assertMatch(await podman("secret", "ls"), /token\s+file/);
    const [{ ID, Spec }] = JSON.parse(await podman("secret", "inspect", "token"));
    assertEquals([ID, Spec.Name, Spec.Driver.Name, Spec.Labels], [id, "token", "file", { a: "b" }]);
    const again = await server.podman("secret", "create", "token", file);
    assertStringIncludes(again.stderr, "token: secret name in use");
    assertEquals((await server.request("GET", "/libpod/secrets/token/exists")).status, 204);
    const shown = await server.request("GET", "/libpod/secrets/token/json?showsecret=true");
    assertEquals((await shown.json()).SecretData, VALUE);
    await podman("secret", "create", "gone", file);
    await podman("secret", "rm", "gone");
    assertEquals((await server.request("GET", "/libpod/secrets/gone/exists")).status, 404);
  });

  await t.step("podman run --secret mounts it with its owner and mode, and sets variables, for exec too", async () => {
    const options = ["--secret", "token", "--secret", "token,target=/etc/key,uid=1000,gid=7,mode=0400"];
    const variable = ["--secret", "token,type=env,target=TOKEN"];
    const script =
      "stat -c '%n %u %g %a' /run/secrets/token /etc/key; cat /run/secrets/token /etc/key; echo $TOKEN; sleep 100";
    await podman("run", "-d", "--name", "s", "--network=none", ...options, ...variable, image, "sh", "-c", script);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const wanted = "/run/secrets/token 0 0 444\n/etc/key 1000 7 400\n";
    assertEquals(await podman("logs", "s"), `${wanted}${VALUE}${VALUE}${VALUE}\n`);
    assertEquals(await podman("exec", "s", "sh", "-c", "echo $TOKEN"), `${VALUE}\n`);
    assertStringIncludes(await podman("exec", "s", "sh", "-c", "grep /run/secrets /proc/mounts"), "tmpfs");
    const inspected = await podman("inspect", "s");
    assert(!inspected.includes(VALUE));
    assertEquals(JSON.parse(inspected)[0].Config.Secrets.map(({ Name }: { Name: string }) => Name), ["token", "token"]);
    assert(JSON.parse(inspected)[0].Config.Env.includes("TOKEN=*******"));
  });

  await t.step("a container with users of its own owns what it mounts", async () => {
    await Deno.chmod(server.folder, 0o711);
    const options = ["--uidmap=0:200000:65536", "--gidmap=0:200000:65536", "--secret", "token,uid=7,gid=8,mode=0400"];
    const script = "stat -c '%u %g %a' /run/secrets/token; cat /run/secrets/token";
    const shown = await podman("run", "--rm", "--network=none", ...options, image, "sh", "-c", script);
    assertEquals(shown, `7 8 400\n${VALUE}`);
  });

  await t.step("neither an image nor an archive of the container holds it", async () => {
    await podman("commit", "-q", "s", "localhost/committed:1");
    const config = await podman("image", "inspect", "localhost/committed:1");
    assert(!config.includes(VALUE) && !config.includes("TOKEN="), config);
    const look = ["sh", "-c", "cat /run/secrets/token /etc/key; echo $TOKEN; echo end"];
    const seen = await server.podman("run", "--rm", "--network=none", "localhost/committed:1", ...look);
    assert(!`${seen.stdout}${seen.stderr}`.includes(VALUE) && seen.stdout.endsWith("end\n"));
    const archive = await Deno.makeTempFile({ prefix: "gantry-export-" });
    await podman("export", "-o", archive, "s");
    assertEquals((await run(["grep", "-cF", VALUE, archive])).stdout, "0\n");
    await Deno.remove(archive);
  });

  await t.step(
    "a removed secret stays with its container, through a crash and a restart of it; a variable does not",
    async () => {
      await podman("run", "-d", "--name", "keeps", "--network=none", "--secret", "token", image, "sleep", "100");
      await podman("secret", "rm", "token");
      await server.crash();
      assertEquals(await podman("exec", "keeps", "cat", "/run/secrets/token"), VALUE);
      await podman("restart", "-t", "0", "keeps");
      assertEquals(await podman("exec", "keeps", "cat", "/run/secrets/token"), VALUE);
      await podman("stop", "-t", "0", "s");
      assertStringIncludes((await server.podman("start", "s")).stderr, "no such secret");
    },
  );

  await t.step("no file of the host holds the value, and nothing is left when the container is gone", async () => {
    assert(
      (await holders(server.folder, VALUE)).length > 0,
      "the copies that containers have are looked for where they are",
    );
    await podman("rm", "-f", "-t", "0", "s", "keeps");
    await podman("rmi", "-f", "localhost/committed:1");
    assertEquals(await holders(server.folder, VALUE), []);
    const mounts = await Deno.readTextFile("/proc/self/mountinfo");
    assert(!mounts.includes(`${server.folder}/run`), "no mount is left");
    assert(!server.stderr.includes(VALUE));
  });

  await t.step("no file of the host holds the value of a secret that was replaced, or removed after use", async () => {
    await podman("secret", "create", "changes", file);
    assert((await holders(server.folder, VALUE)).length > 0, "the value is looked for where it is");
    // The client here is too old to ask for it.
    const replaced = await server.request("POST", "/v5.0.0/libpod/secrets/create?name=changes&replace=true", {
      raw: OTHER,
    });
    assertEquals(replaced.status, 200);
    assertEquals(await holders(server.folder, VALUE), []);
    const used = ["--secret", "changes", "--secret", "changes,type=env,target=SHOWN", "--health-cmd", "true"];
    await podman("run", "-d", "--name", "uses", "--network=none", ...used, image, "sh", "-c", "sleep 100");
    await podman("exec", "uses", "sh", "-c", 'test -n "$SHOWN"');
    await podman("healthcheck", "run", "uses");
    assert((await holders(server.folder, OTHER)).length > 0, "the value is looked for where it is");
    await podman("stop", "-t", "0", "uses");
    await podman("secret", "rm", "changes");
    await podman("rm", "uses");
    assertEquals(await holders(server.folder, OTHER), []);
  });
  await Deno.remove(file);
});
