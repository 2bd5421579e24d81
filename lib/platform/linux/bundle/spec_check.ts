/**
 * Checks of a spec before a container is made of it.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { ContainerSpec } from "../../../engine/records/container_record.ts";
import { EngineError, FieldError } from "../../../engine/errors.ts";
import type { SpecPort } from "../../../engine/ports/spec_port.ts";
import { openNamedFolder } from "../helpers/named_paths.ts";
import { securityModules } from "../security_modules.ts";
import { containerCapabilities } from "./capabilities.ts";
import { checkHostUsers } from "./tree/identity_files.ts";
import { findInit } from "./init_program.ts";
import type { Runtimes } from "../processes/runtime/runtimes.ts";
import { parseSeccompProfile } from "./seccomp.ts";
import { readHostZone } from "./tree/time_zone.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Variables that are the server's own business. */
const OWN_VARIABLES = /^(?:GANTRY|NOTIFY|LISTEN)_/;

/** Options of mounts that runc would pass over in silence. */
const CRUN_ONLY = /^(?:idmap(?:=.*)?|no-dereference)$/;

/** Says what this host makes of specs. */
export function openSpecs(runtimes: Runtimes, own: ReadonlySet<string>): SpecPort {
  return {
    async check(spec) {
      containerCapabilities(spec, own, 0, () => {});
      await checkRuntime(spec, runtimes);
      await Promise.all([
        checkSecurity(spec),
        checkSeccomp(spec),
        checkPaths(spec),
        checkHostUsers(spec.hostUsers ?? []),
        readHostZone(spec.timezone),
        spec.init ? findInit(spec.initPath) : undefined,
      ]);
    },
    environment() {
      const entries = Object.entries(process.env).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]]
      );
      return Object.fromEntries(entries.filter(([name]) => !OWN_VARIABLES.test(name!)));
    },
  };
}

async function checkRuntime({ runtime, personality, mounts }: ContainerSpec, runtimes: Runtimes): Promise<void> {
  const { name } = await runtimes.of(runtime);
  const option = mounts.flatMap(({ options }) => options).find((option) => CRUN_ONLY.test(option));
  if (option !== undefined && name !== "crun") {
    throw unsupported("mounts", `option "${option}": ${name} does not know it`);
  }
  if (personality !== undefined && name !== "crun") {
    throw unsupported("personality", `${name} does not set it`);
  }
}

async function checkSecurity({ apparmor, selinux, labelNested }: ContainerSpec): Promise<void> {
  if (apparmor === undefined && selinux === undefined && !labelNested) return;
  const modules = await securityModules();
  if (apparmor !== undefined && apparmor !== "unconfined" && !modules.apparmor) {
    const text = `apparmor profile "${apparmor}" specified, but Apparmor is not enabled on this system`;
    throw unsupported("apparmor", text);
  }
  const wanted = (selinux ?? []).find((option) => option !== "disable");
  if (wanted !== undefined) {
    const reason = modules.selinux ? "labels are not given out here" : "SELinux is not enabled on this system";
    throw unsupported("selinux", `"${wanted}": ${reason}`);
  }
  if (labelNested && !modules.selinux) throw unsupported("labelNested", "SELinux is not enabled on this system");
}

async function checkSeccomp({ seccomp, seccompText }: ContainerSpec): Promise<void> {
  if (seccompText !== undefined) parseSeccompProfile(seccompText, "image label");
  else if (seccomp !== undefined && seccomp !== "unconfined" && seccomp !== "default") {
    parseSeccompProfile(await readAskedSeccomp(seccomp), seccomp);
  }
}

/** The text of a profile that a user names by its path, or gives in full. */
export async function readAskedSeccomp(path: string): Promise<string> {
  if (path.trimStart().startsWith("{")) return path;
  return await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = hasSystemCode(error, "ENOENT") ? "no such file or directory" : error.message;
    const text = `opening seccomp profile failed: open ${path}: ${reason}`;
    throw new EngineError("invalid", text, { cause: error });
  });
}

async function checkPaths({ namespaces, baseHosts, conmonPidFile, logPath, rootfs }: ContainerSpec): Promise<void> {
  if (rootfs !== undefined && !await stat(rootfs.path).then((facts) => facts.isDirectory(), () => false)) {
    throw new EngineError("invalid", `error checking path "${rootfs.path}": no such folder`);
  }
  for (const [name, { mode, value = "" }] of Object.entries(namespaces)) {
    const problem = mode === "path" ? await problemWith(value) : undefined;
    if (problem !== undefined) {
      throw new EngineError("invalid", `cannot find specified ${name} namespace path: stat ${value}: ${problem}`);
    }
  }
  const hosts = baseHosts?.startsWith("/") ? await problemWith(baseHosts) : undefined;
  if (hosts !== undefined) throw invalidPath("baseHosts", `"${baseHosts}": ${hosts}`);
  if (conmonPidFile !== undefined && await problemWith(dirname(conmonPidFile)) !== undefined) {
    throw invalidPath("conmonPidFile", `"${conmonPidFile}": its folder is missing`);
  }
  for (const path of [conmonPidFile, logPath]) if (path?.startsWith("/")) await checkWay(path);
}

function unsupported(field: string, why: string): FieldError {
  return new FieldError("unsupported", [field], (name) => `Create container: "${name}": ${why}`);
}

function invalidPath(field: string, fault: string): FieldError {
  return new FieldError("invalid", [field], (name) => `Create container: "${name}" ${fault}`);
}

/** Throws `EngineError("invalid")` for a link on the way to a file that is going to be written. */
async function checkWay(path: string): Promise<void> {
  const folder = await openNamedFolder(dirname(path)).catch((error) => {
    if (error instanceof EngineError) throw error;
    // A folder that is missing is told of by whoever needs it.
    return undefined;
  });
  await folder?.close();
}

/** Why there is nothing at a path, in the words of the C library. */
async function problemWith(path: string): Promise<string | undefined> {
  try {
    await stat(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "no such file or directory" : code === "EACCES" ? "permission denied" : message;
  }
}
