/**
 * Hooks that an administrator wants run at certain moments of containers (oci-hooks(5), version 1.0.0).
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import { namesIn } from "../helpers/tree.ts";
import type { RuntimeSpec, SpecHook } from "./spec_types.ts";

/** Folders that hold hooks; a file in a later folder replaces one of the same name. */
export const HOOK_FOLDERS = ["/usr/share/containers/oci/hooks.d", "/etc/containers/oci/hooks.d"];

const VERSION = "1.0.0";
const STAGES = ["prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"];

/** One file. */
interface Hook {
  version: string;
  hook: SpecHook;
  when: {
    always?: boolean | null;
    annotations?: Record<string, string> | null;
    commands?: string[] | null;
    hasBindMounts?: boolean | null;
  };
  stages: string[];
}

/** The facts that decide whether a hook is for a container. */
export interface HookSubject {
  /** The first word of its command. */
  command: string;
  annotations: Readonly<Record<string, string>>;
  /** Whether its user mounts anything into it. */
  hasBindMounts: boolean;
}

/** The hooks of a container, by stage, each stage in the order of the files' names; `undefined` where there are none. */
export async function hooksFor(folders: readonly string[], subject: HookSubject): Promise<RuntimeSpec["hooks"]> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const names = await namesIn(folder).catch((error: NodeJS.ErrnoException) => {
      throw new EngineError("invalid", `Read hooks: ${error.message}`, { cause: error });
    });
    for (const name of names) if (name.endsWith(".json")) files.set(name, join(folder, name));
  }
  const names = [...files.keys()].sort((a, b) => compareNames(a.toLowerCase(), b.toLowerCase()));
  const found: Record<string, SpecHook[]> = {};
  for (const name of names) {
    const { hook, when, stages } = await readHook(files.get(name)!);
    if (!hookFits(when, subject)) continue;
    for (const stage of stages) (found[stage] ??= []).push(hook);
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

async function readHook(path: string): Promise<Hook> {
  try {
    // Every part that is used is looked at below.
    const hook = JSON.parse(await readFile(path, "utf8")) as Hook;
    if (hook.version !== VERSION) {
      throw new TypeError(`unexpected hook version "${hook.version}" (expecting ${VERSION})`);
    }
    if (!hook.hook?.path) throw new TypeError("missing required property: hook.path");
    await stat(hook.hook.path);
    if (!Array.isArray(hook.stages)) throw new TypeError("missing required property: stages");
    const unknown = hook.stages.find((stage) => !STAGES.includes(stage));
    if (unknown !== undefined) throw new TypeError(`unknown stage "${unknown}"`);
    const patterns = Object.entries(hook.when?.annotations ?? {}).flat();
    for (const pattern of [...patterns, ...hook.when?.commands ?? []]) new RegExp(pattern);
    return { ...hook, when: hook.when ?? {} };
  } catch (error) {
    throw new EngineError("invalid", `Read hook "${path}": ${(error as Error).message}`, { cause: error });
  }
}

/** Every condition there is must hold, and at least one must be there. Of several commands one is enough. */
function hookFits(when: Hook["when"], subject: HookSubject): boolean {
  const conditions: boolean[] = [];
  if (typeof when.always === "boolean") conditions.push(when.always);
  if (typeof when.hasBindMounts === "boolean") conditions.push(when.hasBindMounts && subject.hasBindMounts);
  const annotations = Object.entries(subject.annotations);
  for (const [name, value] of Object.entries(when.annotations ?? {})) {
    const [names, values] = [new RegExp(name), new RegExp(value)];
    conditions.push(annotations.some(([name, value]) => names.test(name) && values.test(value)));
  }
  if (when.commands?.length) {
    conditions.push(when.commands.some((command) => new RegExp(command).test(subject.command)));
  }
  return conditions.length > 0 && conditions.every(Boolean);
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
