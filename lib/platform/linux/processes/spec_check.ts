/**
 * What is asked of a spec before a container is made of it.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import process from "node:process";
import type { ContainerSpec } from "../../../engine/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { SpecPort } from "../../../engine/spec_port.ts";
import { securityModules } from "../security_modules.ts";
import { containerCapabilities } from "./capabilities.ts";
import { checkHostUsers } from "./identity_files.ts";
import { findInit } from "./init_program.ts";
import type { Runtime } from "./runtime.ts";
import { parseSeccompProfile } from "./seccomp.ts";
import { zoneFile } from "./tree_files.ts";

/** Variables that are the server's own business. */
const OWN_VARIABLES = /^(?:GANTRY|NOTIFY|LISTEN)_/;

/** Says what this host makes of specs. */
export function openSpecs(runtime: Pick<Runtime, "name" | "path">, own: ReadonlySet<string>): SpecPort {
  return {
    async check(spec) {
      containerCapabilities(spec, own, 0, () => {});
      checkRuntime(spec, runtime);
      await Promise.all([
        checkSecurity(spec),
        checkSeccomp(spec),
        checkPaths(spec),
        checkHostUsers(spec.hostUsers ?? []),
        zoneFile(spec.timezone),
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

function checkRuntime(spec: ContainerSpec, runtime: Pick<Runtime, "name" | "path">): void {
  const { runtime: asked, personality } = spec;
  if (asked !== undefined && asked !== runtime.path && asked !== runtime.name) {
    const text =
      `Create container: "oci_runtime": runtime "${asked}" is not configured, this server runs "${runtime.name}"`;
    throw new EngineError("unsupported", text);
  }
  if (personality !== undefined && !runtime.name.startsWith("crun")) {
    throw new EngineError("unsupported", `Create container: "personality": ${runtime.name} does not set it`);
  }
}

async function checkSecurity({ apparmor, selinux, labelNested }: ContainerSpec): Promise<void> {
  const modules = await securityModules();
  if (apparmor !== undefined && apparmor !== "unconfined" && !modules.apparmor) {
    const text = `apparmor profile "${apparmor}" specified, but Apparmor is not enabled on this system`;
    throw new EngineError("unsupported", `Create container: "apparmor_profile": ${text}`);
  }
  const wanted = (selinux ?? []).find((option) => option !== "disable");
  if (wanted !== undefined) {
    const reason = modules.selinux ? "labels are not given out here" : "SELinux is not enabled on this system";
    throw new EngineError("unsupported", `Create container: "selinux_opts": "${wanted}": ${reason}`);
  }
  if (labelNested && !modules.selinux) {
    throw new EngineError("unsupported", 'Create container: "label_nested": SELinux is not enabled on this system');
  }
}

async function checkSeccomp({ seccomp, seccompText }: ContainerSpec): Promise<void> {
  if (seccompText !== undefined) parseSeccompProfile(seccompText, "image label");
  else if (seccomp !== undefined && seccomp !== "unconfined" && seccomp !== "default") {
    parseSeccompProfile(await readSeccompFile(seccomp), seccomp);
  }
}

/** Reads a profile that a user names. */
export async function readSeccompFile(path: string): Promise<string> {
  return await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "no such file or directory" : error.message;
    const text = `opening seccomp profile failed: open ${path}: ${reason}`;
    throw new EngineError("invalid", text, { cause: error });
  });
}

async function checkPaths({ namespaces, baseHosts, conmonPidFile, rootfs }: ContainerSpec): Promise<void> {
  if (rootfs !== undefined && !await stat(rootfs.path).then((facts) => facts.isDirectory(), () => false)) {
    throw new EngineError("invalid", `error checking path "${rootfs.path}": no such folder`);
  }
  for (const [name, { mode, value }] of Object.entries(namespaces)) {
    if (mode === "path" && !await exists(value ?? "")) {
      throw new EngineError(
        "invalid",
        `cannot find specified ${name} namespace path: stat ${value}: no such file or directory`,
      );
    }
  }
  if (baseHosts?.startsWith("/") && !await exists(baseHosts)) {
    throw new EngineError("invalid", `Create container: "base_hosts_file" "${baseHosts}": no such file or directory`);
  }
  if (conmonPidFile !== undefined && (!await exists(dirname(conmonPidFile)) || basename(conmonPidFile) === "")) {
    throw new EngineError("invalid", `Create container: "conmon_pid_file" "${conmonPidFile}": its folder is missing`);
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}
