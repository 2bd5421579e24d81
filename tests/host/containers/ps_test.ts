/** Lists of containers and prunes as both clients show and filter them, on a real host. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("ps and prune find containers by all that is known of them", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", "-q", image);
  const create = (name: string, ...args: string[]) => podman("run", "-d", "--network=none", "--name", name, ...args);
  await create("one", "--label", "tier=db", "-v", "data:/data", image, "sleep", "100");
  await create("two", "--label", "tier=web", "--restart", "unless-stopped", image, "top");
  await podman("run", "--network=none", "--name", "three", image, "sh", "-c", "exit 3").catch(() => {});
  await podman("create", "--name", "four", "--restart", "always", "--health-cmd", "true", image, "sleep", "1");

  await t.step("podman ps: every filter", async () => {
    const rows: [filter: string, names: string][] = [
      ["name=^t", "two three"],
      ["label=tier=db", "one"],
      ["label!=tier", "three four"],
      ["status=exited", "three"],
      ["status=created", "four"],
      ["exited=3", "three"],
      ["before=two", "one"],
      ["since=two", "three four"],
      ["until=1h", ""],
      [`ancestor=${image}`, "one two three four"],
      ["volume=data", "one"],
      ["network=podman", "four"],
      ["restart-policy=always", "four"],
      ["should-start-on-boot=true", "two four"],
      ["health=none", "one two three"],
      ["command=^top", "two"],
      ["pod=any", ""],
    ];
    for (const [filter, names] of rows) {
      const shown = await podman("ps", "-a", "--format", "{{.Names}}", "--sort", "created", "--filter", filter);
      assertEquals(
        shown.trim().split("\n").reverse().join(" ").split(" ").sort().join(" "),
        names.split(" ").sort().join(" "),
        filter,
      );
    }
    const bad = await server.request("GET", "/libpod/containers/json?filters=%7B%22status%22%3A%5B%22odd%22%5D%7D");
    assertEquals([bad.status, (await bad.json()).message], [500, "unknown container state: odd: invalid argument"]);
  });

  await t.step("podman ps --ns, --size, --last, --sync", async () => {
    const [line] = (await podman("ps", "--ns", "--filter", "name=one")).trim().split("\n").slice(1);
    const numbers = line.trim().split(/\s+/).filter((text) => /^\d{10}$/.test(text));
    const own = (await Deno.readLink("/proc/self/ns/mnt")).match(/\d+/)![0];
    assert(numbers.length >= 5 && !numbers.includes(own), line);
    assertMatch(await podman("ps", "--size", "--sync", "--format", "{{.Size}}", "--filter", "name=one"), /virtual/);
    assertEquals(await podman("ps", "--last", "1", "--format", "{{.Names}}"), "four\n");
  });

  await t.step("docker ps says how long, and why it ended", async () => {
    const shown = await docker("ps", "-a", "--format", "{{.Names}}|{{.Status}}|{{.State}}");
    assertMatch(shown, /^one\|Up (Less than a second|\d+ seconds?)\|running$/m);
    assertMatch(shown, /^three\|Exited \(3\) (Less than a second|\d+ seconds?) ago\|exited$/m);
    assertMatch(shown, /^four\|Created\|created$/m);
    assertEquals(await docker("ps", "-q", "--filter", "health=healthy"), "");
    assertEquals((await docker("ps", "-a", "--format", "{{.Names}}", "--filter", "exited=3")).trim(), "three");
  });

  await t.step("prune takes what does not run and fits, in both trees", async () => {
    await podman("container", "prune", "-f", "--filter", "until=1h");
    await podman("container", "prune", "-f", "--filter", "label=tier");
    assertEquals((await podman("ps", "-aq")).trim().split("\n").length, 4);
    await podman("stop", "-t", "0", "one");
    const one = (await podman("inspect", "--format", "{{.Id}}", "one")).trim();
    assertEquals((await podman("container", "prune", "-f", "--filter", "label=tier=db")).trim(), one);
    await docker("container", "prune", "-f", "--filter", "label!=tier");
    assertEquals(await podman("ps", "-a", "--format", "{{.Names}}"), "two\n");
    const bad = await server.request("POST", "/containers/prune?filters=%7B%22name%22%3A%5B%22x%22%5D%7D");
    assertEquals([bad.status, (await bad.json()).message], [500, "name is an invalid filter"]);
  });
});
