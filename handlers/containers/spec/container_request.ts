import type { MemberRequest } from "../../../lib/engine/containers/request/container_request.ts";
import { parseImageVolumes } from "../../../lib/engine/containers/request/parse_choices.ts";
import { parseTreeLimit } from "../../../lib/engine/containers/request/parse_tree_limit.ts";
import type { SecretWish } from "../../../lib/engine/records/container_record.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { healthWish } from "./health.ts";
import { requireImage } from "./image_name.ts";
import { mountSpecs } from "./mounts.ts";
import { exposed, isPod, memberNamespaces, ports, requestedNetworks } from "./networks.ts";
import { resourceSpec } from "./resources.ts";
import { restartPolicy } from "./restart_policy.ts";
import { splitPaths } from "./split_paths.ts";
import { absolute } from "./field_rules.ts";
import { identityFields } from "./identity.ts";
import { processFields } from "./process.ts";
import { securityFields } from "./security.ts";
import { requestedUsers } from "./users.ts";
import { isEmpty, refuseUnsupported, unsupported } from "./unsupported.ts";
import { nameFields, NATIVE_NAMES } from "./name_fields.ts";
import { RequestError } from "../../request_error.ts";

/**
 * Translates a create request into the engine's words. Fields that it leaves open stay open.
 *
 * Throws `unsupported` naming the field for what cannot be honoured yet, `invalid` for what makes no sense.
 */
export function containerRequest(generator: SpecGenerator): MemberRequest {
  return nameFields(NATIVE_NAMES, () => translate(generator));
}

function translate(generator: SpecGenerator): MemberRequest {
  refuseUnsupported(generator);
  const g = generator;
  const log = logConfig(g);
  const users = isPod(g.userns) ? {} : requestedUsers(g);
  return {
    ...identityFields(g),
    ...processFields(g),
    ...securityFields(g),
    name: g.name || undefined,
    image: image(g),
    entrypoint: g.entrypoint,
    command: g.command,
    env: g.env ?? {},
    unsetEnv: g.unsetenvall ? true : g.unsetenv?.length ? g.unsetenv : undefined,
    httpProxy: g.httpproxy ?? undefined,
    workdir: g.work_dir || undefined,
    createWorkdir: g.create_working_dir || undefined,
    user: g.user || undefined,
    userMaps: users.userMaps,
    groups: groups(g),
    hostname: g.hostname || undefined,
    terminal: g.terminal ?? false,
    stdin: g.stdin ?? false,
    labels: g.labels ?? {},
    annotations: g.annotations ?? {},
    stopSignal: g.stop_signal || undefined,
    stopTimeout: g.stop_timeout ?? undefined,
    timeout: g.timeout || undefined,
    remove: g.remove ?? false,
    restartPolicy: restartPolicy(g.restart_policy, g.restart_tries),
    health: healthWish(g),
    secrets: g.secrets?.length ? g.secrets.map(secretWish) : undefined,
    secretEnv: isEmpty(g.secret_env) ? undefined : g.secret_env,
    mounts: mountSpecs(g),
    volumesFrom: g.volumes_from?.length ? g.volumes_from : undefined,
    imageVolumes: parseImageVolumes(g.image_volume_mode ?? ""),
    rootfs: g.rootfs ? { path: absolute("rootfs", g.rootfs), overlay: g.rootfs_overlay ?? false } : undefined,
    volatile: g.volatile || undefined,
    rootPropagation: rootPropagation(g),
    capAdd: g.cap_add ?? [],
    capDrop: g.cap_drop ?? [],
    privileged: g.privileged ?? undefined,
    readOnly: g.read_only_filesystem ?? undefined,
    readWriteTmpfs: g.read_write_tmpfs ?? undefined,
    noNewPrivileges: g.no_new_privileges ?? false,
    seccomp: g.seccomp_profile_path || undefined,
    umask: g.umask || undefined,
    masks: splitPaths(g.mask),
    unmasks: splitPaths(g.unmask),
    init: g.init ?? undefined,
    namespaces: memberNamespaces(g, users.mode),
    pod: g.pod || undefined,
    initContainer: initContainer(g),
    networks: requestedNetworks(g),
    ports: ports(g),
    publishImagePorts: g.publish_image_ports ?? false,
    exposed: exposed(g),
    dnsServers: g.dns_server ?? [],
    dnsSearch: g.dns_search ?? [],
    dnsOptions: g.dns_option ?? [],
    hosts: g.hostadd ?? [],
    noHosts: g.use_image_hosts ?? undefined,
    noResolvConf: g.use_image_resolve_conf ?? undefined,
    noPasswd: g.manage_password === false || undefined,
    ...resourceSpec(g),
    oomScoreAdj: g.oom_score_adj ?? undefined,
    sysctl: g.sysctl ?? {},
    shmSize: g.shm_size ?? undefined,
    treeLimit: parseTreeLimit(g.storage_opts),
    timezone: g.timezone || undefined,
    logDriver: log.driver || undefined,
    logSizeMax: log.size,
    logPath: log.path || undefined,
    logOptions: log.options ?? {},
    createCommand: g.containerCreateCommand ?? [],
  };
}

/** The name the user typed, which `ps` shows; some clients have resolved it to an ID beside it. */
function image({ image, raw_image_name: raw, rootfs }: SpecGenerator): string {
  if (rootfs) {
    if (image === "") return "";
    throw new RequestError(
      "invalid",
      "Create container: both image and rootfs cannot be simultaneously: invalid argument",
    );
  }
  return requireImage(image || raw || "");
}

function groups({ groups = [] }: SpecGenerator): string[] {
  if (groups.includes("keep-groups")) throw unsupported("groups", "keep-groups");
  return groups;
}

function initContainer({ init_container_type: type }: SpecGenerator): "always" | "once" | undefined {
  if (!type) return undefined;
  if (type === "always" || type === "once") return type;
  throw new RequestError("invalid", `${type} is invalid init container type`);
}

function rootPropagation({ rootfs_propagation: mode }: SpecGenerator): string | undefined {
  if (!mode) return undefined;
  if (/^r?(?:private|shared|slave)$|^r?unbindable$/.test(mode)) return mode;
  throw new RequestError("invalid", `Create container: "rootfs_propagation" "${mode}" is no mode of propagation`);
}

function logConfig({ log_configuration: log }: SpecGenerator): NonNullable<SpecGenerator["log_configuration"]> {
  if (isEmpty(log?.labels)) return log ?? {};
  if (log?.driver === "journald") throw unsupported("log_configuration.labels");
  throw new RequestError("invalid", "log labels can only be used with journald log driver");
}

function secretWish({ Source, Target, UID, GID, Mode }: NonNullable<SpecGenerator["secrets"]>[number]): SecretWish {
  return { source: Source, target: Target || undefined, uid: UID, gid: GID, mode: Mode };
}
