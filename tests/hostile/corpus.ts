/** The runner of the corpus: a case is data and, where it has to, a script; what must hold is asserted after each alike. */
import { assertMatch } from "@std/assert";
import { busyboxImage } from "../fixtures/images/image_builder.ts";
import type { Entry } from "../fixtures/images/tar_builder.ts";
import { Stage } from "./stage.ts";
import { isLongRun } from "../long_run.ts";

/** `GANTRY_TEST_RUNTIME=crun,runc`: the runtimes to play on. */
const CHOSEN = Deno.env.get("GANTRY_TEST_RUNTIME")?.split(",");
const RUNTIMES = CHOSEN ?? (isLongRun ? ["crun", "runc"] : ["auto"]);

/** One attack. */
export interface HostileCase {
  /** What the attacker does; the test is named by it. */
  readonly name: string;
  /** Layers over busybox. */
  readonly layers?: (stage: Stage) => (readonly Entry[])[];
  /** The `config` of the image. */
  readonly config?: Record<string, unknown>;
  /** The container's script; without one, and without a spec, no container is made. */
  readonly script?: string | ((stage: Stage) => string);
  /** Further fields of the create request. */
  readonly spec?: Record<string, unknown> | ((stage: Stage) => Record<string, unknown>);
  /** What create and start may answer. */
  readonly creates?: readonly number[];
  readonly starts?: readonly number[];
  /** The container has printed this before anybody does anything. */
  readonly ready?: string;
  /** What is done meanwhile; the container is named `target`, the image `image`. */
  readonly attack?: (stage: Stage, image: string) => Promise<void>;
  /** What the container prints, once it has ended. */
  readonly prints?: RegExp;
}

/** Registers the cases as tests: on the runtime the server chooses, at length on each and under load, or on the chosen ones. */
export function registerCorpus(groups: Record<string, readonly HostileCase[]>): void {
  for (const runtime of RUNTIMES) {
    const named = runtime === "auto" ? "" : ` (${runtime})`;
    let stage: Stage | undefined;
    let load: Deno.ChildProcess[] = [];
    for (const [group, cases] of Object.entries(groups)) {
      for (const one of cases) {
        Deno.test({
          name: `${group}: ${one.name}${named}`,
          // The stage stays for the next case.
          sanitizeOps: false,
          sanitizeResources: false,
          fn: async () => {
            if (isLongRun && load.length === 0) load = startLoad();
            stage ??= await Stage.start(runtime);
            try {
              await playCase(stage, one);
            } catch (error) {
              // What one case broke is not the next one's.
              await stage[Symbol.asyncDispose]().catch(() => {});
              stage = undefined;
              throw error;
            }
          },
        });
      }
    }
    Deno.test({
      name: `the corpus leaves no server behind${named}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        for (const child of load) child.kill("SIGKILL");
        load = [];
        await stage?.[Symbol.asyncDispose]();
      },
    });
  }
}

async function playCase(stage: Stage, one: HostileCase): Promise<void> {
  await stage.play(async () => {
    const layers = one.layers?.(stage);
    const image = layers === undefined && one.config === undefined ? stage.session.image : await stage.have(
      "image",
      busyboxImage({ config: one.config, layers: layers?.map((entries) => ({ entries })) }),
    );
    if (one.script !== undefined || one.spec !== undefined) {
      const script = typeof one.script === "function" ? one.script(stage) : one.script;
      const further = typeof one.spec === "function" ? one.spec(stage) : one.spec;
      const command = script === undefined ? ["true"] : ["sh", "-c", script];
      const { status } = await stage.create("target", { image, command, ...further }, one.creates);
      if (status === 201) {
        await stage.call("POST", "/libpod/containers/target/start", undefined, one.starts ?? [204]);
        if (one.ready !== undefined) await stage.printed("target", one.ready);
      }
    }
    await one.attack?.(stage, image);
    if (one.prints === undefined) return;
    await stage.call("POST", "/libpod/containers/target/wait?condition=exited", undefined, [200]);
    const logs = await stage.call("GET", "/libpod/containers/target/logs?stdout=true&stderr=true", undefined, [200]);
    assertMatch(logs.text, one.prints);
  });
}

/** Keeps every processor busy besides. */
function startLoad(): Deno.ChildProcess[] {
  return Array.from(
    { length: navigator.hardwareConcurrency },
    () => new Deno.Command("sh", { args: ["-c", "while :; do :; done"], stdin: "null", stdout: "null" }).spawn(),
  );
}
