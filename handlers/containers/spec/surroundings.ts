import type { ContainerRequest } from "../../../lib/engine/containers/request/container_request.ts";
import type { ProcessSpec } from "../../../lib/engine/records/spec_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";
import { RequestError } from "../../request_error.ts";

const NOTIFY = ["container", "conmon", "healthy", "ignore"] as const;

/** Returns a create request's users, files, hooks and the like: fields that go with nothing else. */
export function surroundings(g: SpecGenerator): ContainerRequest {
  return {
    envHost: g.env_host ?? undefined,
    envMerge: listOf(g.envmerge),
    passwdEntry: g.passwd_entry || undefined,
    groupEntry: g.group_entry || undefined,
    hostUsers: listOf(g.hostusers),
    baseHosts: baseHosts(g),
    noHostname: g.use_image_hostname || undefined,
    chrootFolders: listOf(g.chroot_directories?.map((path) => absolute("chroot_directories", path))),
    initPath: g.init_path ? absolute("init_path", g.init_path) : undefined,
    personality: personality(g),
    procOptions: listOf(g.procfs_opts),
    runtime: g.oci_runtime || undefined,
    conmonPidFile: g.conmon_pid_file ? absolute("conmon_pid_file", g.conmon_pid_file) : undefined,
    systemd: systemd(g),
    systemdShmSize: g.shm_size_systemd || undefined,
    sdNotify: sdNotify(g),
    requires: listOf(g.dependencyContainers),
    removeImage: g.removeImage || undefined,
    apparmor: g.apparmor_profile || undefined,
    selinux: listOf(g.selinux_opts),
    labelNested: g.label_nested || undefined,
    seccompPolicy: seccompPolicy(g),
  };
}

/** An empty list says nothing. */
function listOf(list: readonly string[] | null | undefined): string[] | undefined {
  return list?.length ? [...list] : undefined;
}

function baseHosts({ base_hosts_file: file }: SpecGenerator): string | undefined {
  if (!file) return undefined;
  return file === "none" || file === "image" ? file : absolute("base_hosts_file", file);
}

function personality({ personality: asked }: SpecGenerator): ProcessSpec["personality"] {
  if (!asked?.domain) return undefined;
  if (asked.flags?.length) throw unsupported("personality.flags");
  if (asked.domain === "LINUX" || asked.domain === "LINUX32") return { domain: asked.domain };
  throw new RequestError("invalid", `Create container: "personality" domain "${asked.domain}" is not LINUX or LINUX32`);
}

function systemd({ systemd: mode }: SpecGenerator): ProcessSpec["systemd"] {
  if (!mode || mode === "true") return undefined;
  if (mode === "false" || mode === "always") return mode;
  throw new RequestError("invalid", `invalid value "${mode}" systemd option requires 'true, false, always'`);
}

function sdNotify({ sdnotifyMode: mode }: SpecGenerator): ProcessSpec["sdNotify"] {
  if (!mode) return undefined;
  const known = NOTIFY.find((name) => name === mode);
  if (known !== undefined) return known;
  const names = NOTIFY.join(", ");
  throw new RequestError("invalid", `Create container: "sdnotifyMode" "${mode}" is none of ${names}`);
}

function seccompPolicy({ seccomp_policy: policy }: SpecGenerator): "image" | undefined {
  if (!policy || policy === "default") return undefined;
  if (policy === "image") return policy;
  throw new RequestError("invalid", `invalid seccomp policy "${policy}": valid policies are ["default" "image"]`);
}

/** A path of the host; throws `invalid` naming the field for one that is relative. */
export function absolute(field: string, path: string): string {
  if (path.startsWith("/")) return path;
  throw new RequestError("invalid", `Create container: "${field}" "${path}" is not an absolute path`);
}
