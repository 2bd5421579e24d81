/**
 * An engine for tests that only pretends to run containers, on Deno and Node: it has the API, the records, the events and the errors of a real
 * one, and no kernel. A container is a function of JavaScript, or ends at once with output that was given. It runs no program of any image.
 *
 * @module
 */
import process from "node:process";
import { Engine } from "../../engine/engine.ts";
import type { ImageConfig } from "../../oci/image_config.ts";
import type { EngineOptions } from "../../engine/options.ts";
import type { ContainerRecord } from "../../engine/records/container_record.ts";
import { parseRegistriesConf } from "../../oci/registry/registries_conf.ts";
import { hostClock } from "../clock.ts";
import { hostCodec } from "../codec.ts";
import { EngineError } from "../../engine/errors.ts";
import { pretendHost } from "../pretend/pretend_host.ts";
import type { PretendProgram } from "../pretend/pretend_program.ts";
import { hostRandom } from "../random.ts";
import { MemoryBlobs } from "../storage/memory_blobs.ts";
import { MemoryStore } from "../storage/memory_store.ts";
import { architectureOf } from "./memory_engine.ts";

export type { PretendOutcome, PretendProcess, PretendProgram } from "../pretend/pretend_program.ts";

/** How an engine that pretends is opened. */
export interface PretendEngineOptions extends Omit<EngineOptions, "registries"> {
  /**
   * The images that there are, by name, each with the program that stands for all that runs in its containers: their own process, and what
   * exec starts in them.
   */
  images?: Readonly<Record<string, PretendProgram>>;
}

/**
 * Opens an engine that holds everything in memory and pretends to run containers. Builds and checkpoints fail with
 * `EngineError("unsupported")`, and so do other images' containers.
 *
 * @example A test of code that wants a database
 * ```ts
 * import { open } from "./client.ts";
 * import { openPretendEngine } from "./pretend_engine.ts";
 *
 * const pretence = await openPretendEngine({
 *   images: {
 *     postgres: async ({ args, write, signal }) => {
 *       if (args[0] === "psql") return { stdout: " ?column?\n----------\n        1\n" };
 *       write("ready to accept connections\n");
 *       await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *     },
 *   },
 * });
 * {
 *   await using engine = await open(pretence);
 *   await using db = await engine.start({ image: "postgres", ready: { log: "ready to accept" } });
 *   const { stdout } = await db.exec(["psql", "-c", "select 1"]);
 *   console.assert(stdout.includes("1"));
 * }
 * await pretence.close();
 * ```
 */
export async function openPretendEngine({ images = {}, ...options }: PretendEngineOptions = {}): Promise<Engine> {
  const architecture = architectureOf(process.arch);
  const defaultPlatform = { os: "linux", architecture };
  const codec = hostCodec();
  const programs = new Map<string, PretendProgram>();
  const programOf = ({ imageID }: ContainerRecord) => programs.get(imageID);
  const ports = {
    store: new MemoryStore(),
    blobs: new MemoryBlobs(codec),
    net: { fetch: () => Promise.reject(new EngineError("unsupported", noRegistry(Object.keys(images)))) },
    codec,
    clock: hostClock(),
    random: hostRandom(),
    host: pretendHost(programOf, { os: "linux", arch: architecture }),
  };
  const registries = { ...parseRegistriesConf(""), unqualifiedSearch: ["docker.io"] };
  const engine = await Engine.open(ports, { defaultPlatform, ...options, registries });
  for (const [name, program] of Object.entries(images)) {
    // The name makes each image another one.
    const config: ImageConfig = {
      architecture,
      os: "linux",
      rootfs: { type: "layers", diff_ids: [] },
      config: { Cmd: ["pretend"], Labels: { "gantry.pretend": name } },
    };
    const { id } = await engine.images.assemble({ layers: [], config, history: [], format: "oci", names: [name] });
    programs.set(id, program);
  }
  return engine;
}

function noRegistry(images: readonly string[]): string {
  const told = images.length === 0 ? "none" : images.join(", ");
  return `This engine only pretends to run containers: it asks no registry, and has the images that it was given: ${told}`;
}
