/** System check on a real store: each damage is found, told and mended as far as it may be. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, runOk } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

interface Report {
  Errors: boolean;
  Layers: Record<string, string[]> | null;
  RemovedLayers: string[] | null;
  Images: Record<string, string[]> | null;
  RemovedImages: Record<string, string[]> | null;
  Containers: Record<string, string[]> | null;
  RemovedContainers: Record<string, string> | null;
}

const SOUND: Report & Record<"ROLayers" | "ROImages", null> = {
  Errors: false,
  Layers: null,
  ROLayers: null,
  RemovedLayers: null,
  Images: null,
  ROImages: null,
  RemovedImages: null,
  Containers: null,
  RemovedContainers: null,
};

Deno.test("SystemCheck finds damage to a real store, and mends it", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const check = async (query = ""): Promise<Report> => {
    const response = await server.request("POST", `/libpod/system/check${query}`);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    return JSON.parse(text);
  };
  const root = `${server.folder}/root`;
  await podman("pull", image);
  const [{ Id: id, RootFS: { Layers: diffIDs } }] = JSON.parse(await podman("image", "inspect", image));
  const layerFolder = (index: number) => `${root}/layers/${diffIDs[index].slice("sha256:".length)}`;
  const configBlob = `${root}/blobs/sha256/${id.slice(0, 2)}/${id}`;
  const run = () => podman("run", "--rm", "--network=none", image, "cat", "/layers/kept");

  await t.step("a store that nobody touched is sound, whiteouts, opaque folders and hard links included", async () => {
    assertEquals(await check(), SOUND);
    await podman("create", "--name=c", "--network=none", image, "true");
    assertEquals(await check(), SOUND);
    assertEquals(await check("?quick=true"), SOUND);
  });

  await t.step("a changed file of a layer: not seen by a quick check, mended from the archive", async () => {
    await Deno.writeTextFile(`${layerFolder(1)}/diff/layers/kept`, "nope");
    assertEquals(await check("?quick=true"), SOUND);
    const report = await check("?repair=true");
    assertStringIncludes(report.Layers?.[diffIDs[1]].join() ?? "", "layers/kept");
    assertStringIncludes(report.Images?.[id].join() ?? "", diffIDs[1]);
    assertEquals(Object.keys(report.Containers ?? {}).length, 1);
    assertEquals([report.RemovedImages, report.RemovedLayers, report.RemovedContainers], [null, null, null]);
    assertEquals(await check(), SOUND);
    assertEquals(await run(), "kept");
  });

  await t.step("an added file, a lost one, a changed owner and mode: all seen", async () => {
    const folder = `${layerFolder(1)}/diff`;
    await Deno.writeTextFile(`${folder}/added`, "");
    assertStringIncludes((await check()).Layers?.[diffIDs[1]].join() ?? "", "files");
    await Deno.remove(`${folder}/opaque/lower`);
    await Deno.chmod(`${folder}/layers/kept`, 0o600);
    await Deno.chown(`${folder}/layers/kept`, 7, 7);
    const found = (await check("?repair=true")).Layers?.[diffIDs[1]].join() ?? "";
    for (const word of ["Mode differs", "Uid differs", "opaque/lower"]) assertStringIncludes(found, word);
    assertEquals(await check(), SOUND);
  });

  await t.step("a missing layer: seen by a quick check, and unpacked anew", async () => {
    await Deno.remove(layerFolder(2), { recursive: true });
    const report = await check("?quick=true&repair=true");
    assertEquals(report.Layers, { [diffIDs[2]]: ["it is missing"] });
    assertEquals(await check(), SOUND);
    assertEquals(await run(), "kept");
  });

  await t.step("a layer that a container has mounted stays as it is", async () => {
    await podman("run", "-d", "--name=up", "--network=none", image, "sleep", "900");
    await Deno.writeTextFile(`${layerFolder(1)}/diff/added`, "");
    const report = await check("?repair=true");
    assertEquals([report.RemovedImages, (await check()).Errors], [null, true]);
    assertEquals(await podman("exec", "up", "cat", "/layers/kept"), "kept");
    await podman("rm", "-f", "-t", "0", "up");
    await check("?repair=true");
    assertEquals(await check(), SOUND);
  });

  await t.step("a mount that was left over: unmounted", async () => {
    const [{ Id }] = JSON.parse(await podman("container", "inspect", "c"));
    const target = `${root}/containers/${Id}/merged`;
    await runOk(["mount", "-t", "tmpfs", "tmpfs", target]);
    const report = await check("?repair=true&quick=true");
    assertEquals(report.Containers, { [Id]: ["its tree is mounted, and nobody uses it"] });
    assert(!(await Deno.readTextFile("/proc/self/mountinfo")).includes(target));
    assertEquals(await check("?quick=true"), SOUND);
  });

  await t.step(
    "layers that nothing needs: removed when they are old enough, those of unknown containers at once",
    async () => {
      const stray = "ab".repeat(32);
      await runOk(["cp", "-a", layerFolder(1), `${root}/layers/${stray}`]);
      await Deno.utime(`${root}/layers/${stray}`, new Date(), new Date());
      assertEquals(await check(), SOUND, "a pull may be under way");
      assertEquals((await check("?unreferenced_layer_max_age=0s")).Layers, {
        [`sha256:${stray}`]: ["no image and no container needs it"],
      });
      const unknown = "cd".repeat(32);
      await Deno.mkdir(`${root}/containers/${unknown}/upper`, { recursive: true });
      const report = await check("?unreferenced_layer_max_age=0s&repair=true&quick=true");
      assertEquals(report.RemovedLayers?.sort(), [unknown, `sha256:${stray}`].sort());
      assertEquals(await check("?unreferenced_layer_max_age=0s"), SOUND);
      const bad = await server.request("POST", "/libpod/system/check?unreferenced_layer_max_age=soon");
      assertEquals(bad.status, 400);
    },
  );

  await t.step("a changed blob: its image goes, but only with its containers where the repair is lossy", async () => {
    const config = await Deno.readFile(configBlob);
    config[10] ^= 1;
    await Deno.writeFile(configBlob, config);
    assertEquals(await check("?quick=true"), SOUND);
    const kept = await check("?repair=true");
    assertStringIncludes(kept.Images?.[id].join() ?? "", "its content has the digest");
    assertEquals([kept.RemovedImages, kept.RemovedContainers], [null, null]);
    assertEquals((await server.podman("image", "exists", image)).code, 0);
    const lossy = await check("?repair=true&repair_lossy=true");
    assertEquals(Object.values(lossy.RemovedContainers ?? {}), ["c"]);
    assertEquals(lossy.RemovedImages, { [id]: [image] });
    assertEquals(await check(), SOUND);
    await podman("pull", image);
    assertEquals(await run(), "kept", "the pull fetched what was damaged");
  });

  await t.step("a cut and a missing blob: the image goes, and can be pulled again", async () => {
    const cut = [];
    for await (const { name } of Deno.readDir(`${root}/blobs/sha256`)) {
      for await (const { name: hex } of Deno.readDir(`${root}/blobs/sha256/${name}`)) {
        if (hex !== id) cut.push(`${root}/blobs/sha256/${name}/${hex}`);
      }
    }
    const sizes = await Promise.all(cut.map(async (path) => (await Deno.stat(path)).size));
    const largest = cut[sizes.indexOf(Math.max(...sizes))];
    await Deno.truncate(largest, 100);
    await Deno.remove(configBlob);
    const report = await check("?quick=true&repair=true");
    const told = report.Images?.[id].join() ?? "";
    assertStringIncludes(told, "it has 100 bytes, and should have");
    assertStringIncludes(told, `blob sha256:${id}: it is missing`);
    assertEquals(report.RemovedImages, { [id]: [image] });
    await podman("pull", image);
    assertEquals(await check(), SOUND);
  });

  await t.step("a container whose writable layer is gone: only a lossy repair removes it", async () => {
    await podman("create", "--name=bare", "--network=none", image, "true");
    const [{ Id }] = JSON.parse(await podman("container", "inspect", "bare"));
    await Deno.remove(`${root}/containers/${Id}`, { recursive: true });
    assertEquals((await check("?repair=true")).Containers, { [Id]: ["its writable layer is missing"] });
    const report = await check("?repair=true&repair_lossy=true&quick=true");
    assertEquals(report.RemovedContainers, { [Id]: "bare" });
    assertEquals(await check(), SOUND);
  });
});
