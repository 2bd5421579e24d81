/** Containers that exchange what the server is about to open, mount, own or write. */
import { assert } from "@std/assert";
import { run } from "../fixtures/run.ts";
import { busyboxEntries } from "../fixtures/images/image_builder.ts";
import { buildTar } from "../fixtures/images/tar_builder.ts";
import type { HostileCase } from "./corpus.ts";
import { exchange, folderAndLink } from "./exchange.ts";
import { SECRET } from "./host_digest.ts";
import type { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

const ROUNDS = isLongRun ? 200 : 6;
/** Rounds of cases whose rounds are short, or seldom won. */
const MORE_ROUNDS = isLongRun ? 200 : 16;
const SLEEP = "echo ready; exec sleep 1000";
const TAR = { "content-type": "application/x-tar" };

/** The folder of the host that is a running container's root. */
async function rootOf(stage: Stage, name: string): Promise<string> {
  const { text } = await stage.call("GET", `/libpod/containers/${name}/json`, undefined, [200]);
  return `/proc/${JSON.parse(text).State.Pid}/root`;
}

/** The folder of a volume. */
function volumeOf(stage: Stage, name: string): string {
  return `${stage.server.folder}/root/volumes/${name}/_data`;
}

/** Nobody is given the text of a canary. */
function assertNoSecret(text: string): void {
  assert(!text.includes(SECRET), "an answer has the text of a canary");
}

/** A tree of busybox in a folder of the host, for `rootfs`. */
async function hostTree(stage: Stage): Promise<string> {
  const folder = `${stage.server.folder}/kept-tree`;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder);
  await Deno.writeFile(`${folder}.tar`, buildTar(busyboxEntries()));
  await run(["tar", "-xf", `${folder}.tar`, "-C", folder]);
  return folder;
}

/** Containers one after the other, each with its mounts; what each prints must not be a canary's. */
async function startMany(stage: Stage, spec: Record<string, unknown>, command: string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const { status } = await stage.create("victim", { command, ...spec }, [201, 400, 404, 500]);
    if (status !== 201) continue;
    const started = await stage.call("POST", "/libpod/containers/victim/start");
    if (started.status === 204) {
      await stage.call("POST", "/libpod/containers/victim/wait", undefined, [200]);
      assertNoSecret((await stage.call("GET", "/libpod/containers/victim/logs?stdout=true&stderr=true")).text);
    }
    await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
  }
}

export const races: readonly HostileCase[] = [
  {
    name: "a folder and a link change places while files are copied out and in",
    script: SLEEP,
    ready: "ready",
    attack: async (stage) => {
      const [folder, link] = await folderAndLink(await rootOf(stage, "target"), stage.wayOut);
      await using _race = exchange(folder, link);
      const raw = new TextDecoder().decode(buildTar([{ type: "file", path: "new", content: "in" }]));
      const path = "/libpod/containers/target/archive?path=/way";
      for (let round = 0; round < MORE_ROUNDS; round++) {
        const read = ["", "/secret", "/inner/secret", "/."].map((suffix) => stage.call("GET", path + suffix));
        const written = ["", "/inner"].map((suffix) =>
          stage.server.request("PUT", path + suffix, { raw, headers: TAR })
        );
        for (const { text } of await Promise.all(read)) assertNoSecret(text);
        await Promise.all(written);
      }
    },
  },
  {
    name: "a link to the host's root by /proc changes places with a folder that is copied",
    script: SLEEP,
    spec: { pidns: { nsmode: "host" } },
    ready: "ready",
    attack: async (stage) => {
      const root = await rootOf(stage, "target");
      const [folder, link] = await folderAndLink(root, `/proc/1/root${stage.canaries}`);
      await using _race = exchange(folder, link);
      for (let round = 0; round < MORE_ROUNDS; round++) {
        assertNoSecret((await stage.call("GET", "/libpod/containers/target/archive?path=/way/secret")).text);
        assertNoSecret((await stage.call("GET", "/libpod/containers/target/archive?path=/way")).text);
      }
    },
  },
  {
    name: "the part of a volume that is mounted changes places with a link",
    script: SLEEP,
    spec: { volumes: [{ Name: "kept-parts", Dest: "/data" }] },
    ready: "ready",
    attack: async (stage) => {
      const volume = volumeOf(stage, "kept-parts");
      const [folder, link] = await folderAndLink(volume, stage.canaries);
      await using _race = exchange(folder, link);
      const command = ["sh", "-c", "cat /mnt/secret; echo broken > /mnt/new; cat /mnt/inner/secret"];
      await startMany(stage, { volumes: [{ Name: "kept-parts", Dest: "/mnt", SubPath: "way" }] }, command);
      await startMany(stage, { volumes: [{ Name: "kept-parts", Dest: "/mnt", SubPath: "way/inner" }] }, command);
    },
  },
  {
    name: "a volume is given to another user while a folder in it changes places with a link",
    script: SLEEP,
    spec: { volumes: [{ Name: "kept-owned", Dest: "/data" }] },
    ready: "ready",
    attack: async (stage) => {
      const [folder, link] = await folderAndLink(volumeOf(stage, "kept-owned"), stage.canaries);
      await using _race = exchange(folder, link);
      for (const user of ["1000", "65534"]) {
        await startMany(stage, { user, volumes: [{ Name: "kept-owned", Dest: "/mnt", Options: ["U"] }] }, ["true"]);
      }
    },
  },
  {
    name: "the folder above a missing working directory changes places with a link",
    attack: async (stage) => {
      const rootfs = await hostTree(stage);
      const [folder, link] = await folderAndLink(rootfs, `..${stage.canaries.slice(stage.server.folder.length)}`);
      await using _race = exchange(folder, link);
      for (const directory of ["/way/new", "/way/inner/deep/new"]) {
        await startMany(stage, {
          image: undefined,
          rootfs,
          work_dir: directory,
          create_working_dir: true,
          user: "1000",
        }, ["true"]);
      }
    },
  },
  {
    name: "a missing working directory changes places with a link as soon as it is made",
    attack: async (stage) => {
      const rootfs = await hostTree(stage);
      const spec = { image: undefined, rootfs, work_dir: "/fresh", create_working_dir: true, user: "1000" };
      for (let round = 0; round < ROUNDS * 4; round++) {
        for (const name of ["fresh", "link"]) await Deno.remove(`${rootfs}/${name}`).catch(() => {});
        await Deno.symlink(stage.canaries, `${rootfs}/link`);
        await using _race = exchange(`${rootfs}/fresh`, `${rootfs}/link`);
        await stage.create("victim", { command: ["true"], ...spec }, [201]);
        await stage.call("POST", "/libpod/containers/victim/start");
        await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
      }
    },
  },
  {
    name: "a folder changes places with a link while a volume is filled from it",
    attack: async (stage) => {
      const rootfs = await hostTree(stage);
      const [folder, link] = await folderAndLink(`${rootfs}/data`, stage.canaries);
      await using _race = exchange(folder, link);
      for (let round = 0; round < MORE_ROUNDS; round++) {
        const volumes = [{ Name: `kept-filled-${round}`, Dest: "/data" }];
        const spec = { image: undefined, rootfs, volumes, command: ["true"] };
        const { status } = await stage.create("victim", spec, [201, 500]);
        if (status === 201) await stage.call("POST", "/libpod/containers/victim/start");
        for (const path of ["way/secret", "link/secret", "way/inner/secret", "link/inner/secret"]) {
          const copied = await Deno.readTextFile(`${volumeOf(stage, `kept-filled-${round}`)}/${path}`).catch(() => "");
          // A link that was copied as such leads this test, not a container, to the canary.
          const isLink = await Deno.lstat(`${volumeOf(stage, `kept-filled-${round}`)}/${path.split("/")[0]}`)
            .then((facts) => facts.isSymlink, () => false);
          if (!isLink) assertNoSecret(copied);
        }
        await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [
          200,
          404,
        ]);
      }
    },
  },
  {
    name: "accounts change places with links to the host's",
    attack: async (stage) => {
      const rootfs = await hostTree(stage);
      await Deno.remove(`${rootfs}/etc/link`).catch(() => {});
      await Deno.symlink(`${stage.canaries}/passwd`, `${rootfs}/etc/link`);
      await using _race = exchange(`${rootfs}/etc/passwd`, `${rootfs}/etc/link`);
      for (const user of ["user", "escaped"]) {
        await startMany(stage, { image: undefined, rootfs, user }, ["cat", "/etc/passwd"]);
      }
    },
  },
  {
    name: "an exec's folder and accounts change places with links",
    script: SLEEP,
    ready: "ready",
    attack: async (stage) => {
      const root = await rootOf(stage, "target");
      const [folder, link] = await folderAndLink(root, stage.wayOut);
      await using _race = exchange(folder, link);
      for (let round = 0; round < ROUNDS; round++) {
        const body = { Cmd: ["cat", "secret"], AttachStdout: true, WorkingDir: "/way", User: "user" };
        const made = await stage.call("POST", "/libpod/containers/target/exec", body);
        if (made.status !== 201) continue;
        assertNoSecret((await stage.call("POST", `/libpod/exec/${JSON.parse(made.text).Id}/start`, {})).text);
      }
    },
  },
  {
    name: "a tree is exported, compared and committed while a folder changes places with a link",
    script: SLEEP,
    ready: "ready",
    attack: async (stage) => {
      const [folder, link] = await folderAndLink(await rootOf(stage, "target"), stage.wayOut);
      await using _race = exchange(folder, link);
      for (let round = 0; round < (isLongRun ? 30 : 3); round++) {
        assertNoSecret((await stage.call("GET", "/libpod/containers/target/export")).text);
        await stage.call("GET", "/libpod/containers/target/changes", undefined, [200]);
        await stage.call("POST", "/libpod/commit?container=target&repo=raced&pause=false", undefined, [200, 500]);
      }
    },
  },
  {
    name: "an anonymous volume is removed while another container exchanges what is in it",
    script: SLEEP,
    spec: { volumes: [{ Dest: "/data" }] },
    ready: "ready",
    attack: async (stage) => {
      const root = await rootOf(stage, "target");
      const [folder, link] = await folderAndLink(`${root}/data`, stage.canaries);
      await using _race = exchange(folder, link);
      await stage.call("DELETE", "/libpod/containers/target?force=true&timeout=0&volumes=true", undefined, [200]);
    },
  },
  {
    name: "the place of a mount in the tree changes places with a link",
    attack: async (stage) => {
      const rootfs = await hostTree(stage);
      const [folder, link] = await folderAndLink(rootfs, stage.wayOut);
      await using _race = exchange(folder, link);
      const mounts = [{ type: "tmpfs", destination: "/way", source: "tmpfs", options: ["rw"] }];
      const volumes = [{ Name: "kept-place", Dest: "/way/inner" }];
      await startMany(stage, { image: undefined, rootfs, mounts, volumes }, ["sh", "-c", "echo x > /way/inner/new"]);
    },
  },
  {
    name: "a log, a pid file and a health log are asked for where a container has put links",
    script: SLEEP,
    spec: { volumes: [{ Name: "kept-logs", Dest: "/data" }] },
    ready: "ready",
    attack: async (stage) => {
      const volume = volumeOf(stage, "kept-logs");
      for (const name of ["secret", "folder"]) {
        await Deno.symlink(`${stage.canaries}/${name}`, `${volume}/${name}`).catch(() => {});
      }
      const specs = [
        { log_configuration: { driver: "k8s-file", path: `${volume}/secret` } },
        { log_configuration: { driver: "k8s-file", path: `${volume}/folder/secret` } },
        { container_pid_file: `${volume}/secret` },
        { conmon_pid_file: `${volume}/folder/pid` },
        { healthLogDestination: `${volume}/folder`, healthconfig: { Test: ["CMD", "true"], Interval: 1e9 } },
      ];
      for (const [index, spec] of specs.entries()) {
        const name = `victim${index}`;
        const { status } = await stage.create(name, { command: ["echo", "x"], ...spec }, [201, 400, 403, 500]);
        if (status !== 201) continue;
        await stage.call("POST", `/libpod/containers/${name}/start`);
        await stage.call("GET", `/libpod/containers/${name}/healthcheck`);
        await stage.call("GET", `/libpod/containers/${name}/logs?stdout=true`).then(({ text }) => assertNoSecret(text));
        await stage.call("DELETE", `/libpod/containers/${name}?force=true&timeout=0&volumes=true`, undefined, [200]);
      }
    },
  },
];
