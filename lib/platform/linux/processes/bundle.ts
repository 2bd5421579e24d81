/**
 * Writing a container's OCI bundle: `config.json` and the files that are bound into its tree.
 *
 * @module
 */
import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord } from "../../../engine/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { ProcessOptions } from "../../../engine/host_port.ts";
import type { HostContext } from "../context.ts";
import { type ContainerPaths, containerPaths } from "../paths.ts";
import { findProgram } from "../programs.ts";
import { ownCapabilities } from "./capabilities.ts";
import { containerEnvText, hostsText, resolvConfText } from "./etc_files.ts";
import { readFacts } from "./facts.ts";
import { containerMounts } from "./mounts.ts";
import { isAlive } from "./proc.ts";
import { allowedLimits } from "./rlimits.ts";
import { buildSpec, specText } from "./runtime_spec.ts";
import { readSeccompProfile } from "./seccomp.ts";
import { placeSecrets } from "./secret_files.ts";
import type { SeccompFilters } from "./seccomp_filters.ts";
import type { SpecSeccomp } from "./spec_types.ts";
import { checkKernelFolders } from "./tree_check.ts";
import { type ResolvedUser, resolveUser } from "./user_lookup.ts";
import { ensureFolder, requireFolder } from "./workdir.ts";

const ZONES = "/usr/share/zoneinfo";

/** Writes bundles. */
export interface Bundler {
  /** Writes the bundle of a container, in its folder. Gives the rules for its system calls. */
  write(options: ProcessOptions, container: ContainerPaths, cgroupsPath: string): Promise<SpecSeccomp | undefined>;
}

/** Reads once what all bundles are made from. */
export async function openBundler(context: HostContext, filters: SeccompFilters): Promise<Bundler> {
  const [capabilities, seccomp] = await Promise.all([ownCapabilities(), readSeccompProfile()]);
  const limits = await allowedLimits(capabilities.has("CAP_SYS_RESOURCE"));
  const volumePath = (name: string) => join(context.paths.volumes, name, "_data");
  const pidOf = (id: string) => Promise.resolve(livePid(containerPaths(context.paths, id), id));
  return {
    async write(options, container, cgroupsPath) {
      const { record, rootfs, netns } = options;
      const warn = (message: string) => context.log("warn", `Container ${record.id}: ${message}`);
      await checkKernelFolders(rootfs);
      const user = await resolveUser(rootfs, record.process.user, record.spec.groups);
      const taken = new Set(record.mounts.map(({ destination }) => destination));
      const files = {
        ...await writeFiles(context, options, container, user),
        ...await placeSecrets(container.bundle, options.secrets?.files ?? [], (place) => taken.has(place)),
      };
      const init = record.spec.init ? await findInit() : undefined;
      const mounts = await containerMounts(record, { files, volumePath, init });
      const { workdir } = record.process;
      const covered = mounts.some(({ destination }) =>
        workdir === destination || workdir.startsWith(`${destination}/`)
      );
      if (!covered) {
        // A folder that somebody names is one that he expects to be there, unless he says so.
        if (record.spec.workdir !== undefined && !record.spec.createWorkdir) {
          await requireFolder(rootfs, workdir, record.id);
        } else await ensureFolder(rootfs, workdir, user);
      }
      const sources = { rootfs, netns, user, mounts, cgroupsPath, seccomp, filters, capabilities, limits, pidOf, warn };
      const spec = await buildSpec(record, sources);
      spec.process.env = withVariables(spec.process.env, options.secrets?.env ?? {});
      await writeFile(container.config, specText(spec), { mode: 0o600 });
      return spec.linux.seccomp;
    },
  };
}

/** An environment with some variables set. */
function withVariables(env: readonly string[], variables: Record<string, string>): string[] {
  const others = env.filter((entry) => !Object.hasOwn(variables, entry.split("=", 1)[0]));
  return [...others, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
}

/** Gives the files by their place in the container. */
async function writeFiles(
  context: HostContext,
  { record, network }: ProcessOptions,
  container: ContainerPaths,
  user: ResolvedUser,
): Promise<Record<string, string>> {
  const { spec } = record;
  const files: Record<string, string> = {};
  const add = async (destination: string, path: string, text: string) => {
    files[destination] = path;
    await writeFile(path, text);
    // Whatever the server's umask: the container's users read it.
    await chmod(path, 0o644);
  };
  const joined = spec.namespaces.network.mode === "container" ? spec.namespaces.network.value : undefined;
  const other = joined === undefined ? undefined : containerPaths(context.paths, joined);
  const work = [
    add("/etc/hostname", container.hostname, `${record.hostname}\n`),
    add("/run/.containerenv", container.containerEnv, containerEnvText(record)),
  ];
  // Who shares a network shares what is said of it, later changes included.
  if (other !== undefined) {
    if (!spec.noHosts) files["/etc/hosts"] = other.hosts;
    if (!spec.noResolvConf) files["/etc/resolv.conf"] = other.resolvConf;
  } else {
    if (!spec.noHosts) work.push(hostsText(record, network).then((text) => add("/etc/hosts", container.hosts, text)));
    if (!spec.noResolvConf) {
      work.push(resolvConfText(record, network).then((text) => add("/etc/resolv.conf", container.resolvConf, text)));
    }
  }
  const passwd = passwdText(record, user);
  if (passwd !== undefined) work.push(add("/etc/passwd", join(container.bundle, "passwd"), passwd));
  const group = groupText(record, user);
  if (group !== undefined) work.push(add("/etc/group", join(container.bundle, "group"), group));
  await Promise.all(work);
  const zone = await zoneFile(spec.timezone);
  return zone === undefined ? files : { ...files, "/etc/localtime": zone };
}

/** A user who is only a number gets an entry, so that programs which ask who they are do not fail. */
function passwdText(record: ContainerRecord, user: ResolvedUser): string | undefined {
  if (record.spec.noPasswd || user.known || user.passwd === undefined) return undefined;
  const { uid, gid } = user;
  // What would end the field, or the line, is not for this file.
  const home = /[:\n]/.test(record.process.workdir) ? "/" : record.process.workdir;
  return `${lines(user.passwd)}${uid}:*:${uid}:${gid}:container user:${home}:/bin/sh\n`;
}

/** So does a group that is only a number. */
function groupText(record: ContainerRecord, { knownGroup, group, gid }: ResolvedUser): string | undefined {
  if (record.spec.noPasswd || knownGroup || group === undefined) return undefined;
  return `${lines(group)}${gid}:x:${gid}:\n`;
}

/** A file's text, with its last line ended. */
function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

async function zoneFile(timezone: string | undefined): Promise<string | undefined> {
  if (timezone === undefined || timezone === "") return undefined;
  if (timezone === "local") return "/etc/localtime";
  const path = join(ZONES, timezone);
  const isZone = path.startsWith(`${ZONES}/`) && await stat(path).then((facts) => facts.isFile(), () => false);
  if (!isZone) throw new EngineError("invalid", `finding timezone ${timezone} on the host: no such file or directory`);
  return path;
}

async function findInit(): Promise<string> {
  const places = ["catatonit", "/usr/libexec/podman/catatonit", "/usr/libexec/catatonit/catatonit"];
  for (const place of places) {
    const path = place.startsWith("/") ? await existing(place) : await findProgram(place);
    if (path !== undefined) return path;
  }
  throw new EngineError("unsupported", "Run container with an init: catatonit is not installed");
}

async function existing(path: string): Promise<string | undefined> {
  return await stat(path).then(() => path, () => undefined);
}

function livePid(container: ContainerPaths, id: string): number {
  const facts = readFacts(container.facts);
  if (facts !== undefined && isAlive(facts.container)) return facts.container.pid;
  throw new EngineError("state", `Join namespaces: container ${id} is not running`, {
    sentinel: "container state improper",
  });
}
