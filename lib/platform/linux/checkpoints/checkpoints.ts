/**
 * Checkpoints on Linux: CRIU's images, made and read by the OCI runtime, in a folder beside the container's writable layer.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Checkpoints, DumpOptions, ReceivedCheckpoint } from "../../../engine/ports/checkpoint_port.ts";
import { EngineError } from "../../../engine/errors.ts";
import { overlayLayer } from "../../../oci/tar/layer_tar.ts";
import { readBounded } from "../helpers/bounded_read.ts";
import { runCommand } from "../helpers/command.ts";
import type { HostContext } from "../helpers/context.ts";
import { checkpointFolder, containerPaths } from "../helpers/paths.ts";
import { sweep } from "../helpers/sweeper.ts";
import { namesIn, removeFolder } from "../helpers/tree.ts";
import type { LinuxProcesses } from "../processes/processes.ts";
import { isRootless } from "../rootless/outer_user.ts";
import { unpackLayer } from "../storage/unpack.ts";
import { moveTo, openIn, packFolder, textIn, unpackInto, unpackVolume, writeInto } from "./checkpoint_folder.ts";
import { checkCRIU, checkRuntime, reasonsIn } from "./criu.ts";
import { readCRIUStats } from "./criu_stats.ts";

const IMAGES = "checkpoint";
const STATS_LIMIT = 64 * 1024;
const EARLIER = "pre-checkpoint";
const TAR = ["--xattrs", "--xattrs-include=*", "--numeric-owner"];

/** The methods of the processes that run the runtime. */
type Runner = Pick<LinuxProcesses, "runtime" | "run">;

/** Opens the port `Checkpoints` on this machine. */
export async function openCheckpoints(context: HostContext, processes: Runner): Promise<Checkpoints> {
  const { paths } = context;
  const runtime = await processes.runtime();
  const imports = join(paths.root, "imports");
  // Imports that an earlier server process began and did not finish.
  await sweep(context, (await namesIn(imports)).map((name) => join(imports, name)));
  const folder = (id: string) => checkpointFolder(paths, id);
  const volumeFile = (id: string, volume: string) => join(folder(id), "volumes", `${volume}.tar`);
  const volumePath = (volume: string) => join(paths.volumes, volume, "_data");
  return {
    async check() {
      if (isRootless()) {
        const why = "checkpointing a container requires root, since CRIU does, and this server is an ordinary user's";
        throw new EngineError("unsupported", why);
      }
      await checkCRIU();
      await checkRuntime(runtime.path);
    },
    dump: (id, options) => dumpProcesses(processes, folder(id), id, options),
    exists: (id) => Promise.resolve(existsSync(join(folder(id), IMAGES, "inventory.img"))),
    async statistics(id) {
      const { bundle } = containerPaths(paths, id);
      const images = [join(folder(id), "stats-dump"), join(bundle, "stats-restore")];
      const found = await Promise.all(images.map((path) => readBounded(path, STATS_LIMIT).catch(() => undefined)));
      return Object.assign({}, ...found.map((image) => readCRIUStats(image ?? new Uint8Array())));
    },
    write: (id, name, content) => writeInto(folder(id), name, content),
    open: (id, name) => openIn(folder(id), name),
    pack: (id, names) => packFolder(folder(id), names),
    async receive(archive) {
      const place = join(imports, randomUUID());
      await unpackInto(place, archive);
      return receivedAt(place, folder);
    },
    async fillLayer(id, changeset) {
      const upper = join(containerPaths(paths, id).storage, "upper");
      await unpackLayer(changeset.pipeThrough(overlayLayer({}, isRootless())), upper);
    },
    async saveVolume(id, volume) {
      await mkdir(join(folder(id), "volumes"), { recursive: true, mode: 0o700 });
      const args = ["--create", `--file=${volumeFile(id, volume)}`, ...TAR, `--directory=${volumePath(volume)}`, "."];
      await runCommand("tar", args, { timeout: Infinity });
    },
    async loadVolume(id, volume) {
      await unpackVolume(volumeFile(id, volume), volumePath(volume), TAR);
    },
    async remove(id, names) {
      const gone = names === undefined ? [folder(id)] : names.map((name) => join(folder(id), name));
      for (const path of gone) await removeFolder(path);
    },
  };
}

async function dumpProcesses(
  processes: Runner,
  folder: string,
  containerID: string,
  options: DumpOptions,
): Promise<void> {
  const images = join(folder, options.preCheckpoint ? EARLIER : IMAGES);
  await removeFolder(images);
  await rm(join(folder, "dump.log"), { force: true });
  await mkdir(images, { recursive: true, mode: 0o700 });
  const args = [
    ...["--image-path", images, "--work-path", folder],
    ...options.leaveRunning ? ["--leave-running"] : [],
    ...options.tcpEstablished ? ["--tcp-established"] : [],
    ...options.fileLocks ? ["--file-locks"] : [],
    ...options.preCheckpoint ? ["--pre-dump"] : [],
    ...!options.preCheckpoint && options.withPrevious ? ["--parent-path", join("..", EARLIER)] : [],
  ];
  try {
    await processes.run("checkpoint", ...args, containerID);
  } catch (error) {
    const reason = await reasonsIn(join(folder, "dump.log"));
    await removeFolder(images);
    if (!(error instanceof EngineError) || reason === "") throw error;
    throw new EngineError("internal", `${error.message}: CRIU: ${reason}`, { cause: error, sentinel: reason });
  }
  if (!options.preCheckpoint && options.withPrevious) {
    // CRIU makes the link absolute, which holds on this machine only.
    await rm(join(images, "parent"), { force: true });
    await symlink(join("..", EARLIER), join(images, "parent"));
  }
}

function receivedAt(place: string, folder: (containerID: string) => string): ReceivedCheckpoint {
  return {
    text: (name) => textIn(place, name),
    adopt: (containerID) => moveTo(place, folder(containerID)),
    [Symbol.asyncDispose]: () => removeFolder(place),
  };
}
