/** Disk usage and prune as users have them, by podman, docker and the API, on a real store. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("podman and docker tell disk usage and prune, and what they reclaim is what df loses", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  // Any JSON: the test looks into it.
  const usage = async () => await (await server.request("GET", "/libpod/system/df")).json();
  const taken = async () => {
    const { ImagesSize, Containers, Volumes } = await usage();
    const sum = (list: Record<string, number>[], key: string) => list.reduce((all, item) => all + item[key], 0);
    return ImagesSize + sum(Containers, "RWSize") + sum(Volumes, "Size");
  };
  await podman("pull", image);
  const run = (name: string, command: string) =>
    podman("run", "--name", name, "--network=none", "-v=data:/data", image, "sh", "-c", command);
  await run("one", "head -c 100000 /dev/zero > /file; ln /file /again; head -c 5000 /dev/zero > /data/kept");
  await podman("commit", "one", "localhost/child:1");
  await podman("create", "--name=two", "--network=none", "localhost/child:1", "true");

  await t.step("images share layers, containers have their own files, volumes their users", async () => {
    const { Images, Containers, Volumes, ImagesSize } = await usage();
    const child = Images.find(({ Repository }: { Repository: string }) => Repository === "localhost/child");
    const parent = Images.find(({ Repository }: { Repository: string }) => Repository !== "localhost/child");
    assertEquals([parent.UniqueSize, child.SharedSize, child.Containers], [0, parent.SharedSize, 1]);
    assertEquals(ImagesSize, child.SharedSize + child.UniqueSize);
    assert(child.UniqueSize > 100_000);
    const one = Containers.find(({ Names }: { Names: string }) => Names === "one");
    assertEquals([one.RWSize, one.Size, one.LocalVolumes, one.Status], [100_000, 100_000 + parent.Size, 1, "exited"]);
    assertEquals(Volumes, [{ VolumeName: "data", Links: 1, Size: 5000, ReclaimableSize: 0 }]);
  });

  await t.step("podman system df, docker system df", async () => {
    assertMatch(await podman("system", "df"), /Local Volumes\s+1\s+1\s+5kB/);
    assertMatch(await podman("system", "df", "-v"), /one/);
    const shown = await docker("system", "df");
    assertMatch(shown, /Images\s+2\s+2/);
    assertMatch(shown, /Local Volumes\s+1\s+1\s+5kB\s+0B/);
    assertMatch(shown, /Build Cache\s+0\s+0\s+0B/);
    assertStringIncludes(await docker("system", "df", "-v"), "data");
  });

  await t.step(
    "prune with a filter takes nothing else, and without one the rest; both say exactly what went",
    async () => {
      const before = await taken();
      const none = await server.request(
        "POST",
        '/libpod/system/prune?all=true&volumes=true&filters={"label":["no=one"]}',
      );
      assertEquals([(await none.json()).ReclaimedSpace, await taken()], [0, before]);
      const stopped = await docker("system", "prune", "-f");
      assertStringIncludes(stopped, "Deleted Containers");
      assertEquals(before - await taken(), 100_000);
      const middle = await taken();
      const rest = await server.request("POST", "/libpod/system/prune?all=true&volumes=true");
      const report = await rest.json();
      assertEquals([report.ReclaimedSpace, await taken()], [middle, 0]);
      assertEquals([report.ImagePruneReports.length, report.VolumePruneReports], [2, [{ Id: "data", Size: 5000 }]]);
      const left = await Array.fromAsync(Deno.readDir(`${server.folder}/root/layers`));
      assertEquals(left.filter(({ name }) => /^[0-9a-f]{64}$/.test(name)), []);
      await podman("system", "prune", "-f");
    },
  );
});
