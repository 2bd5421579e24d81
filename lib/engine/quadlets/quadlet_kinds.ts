/**
 * The kinds of quadlets and the keys of each, podman-systemd.unit(5).
 *
 * @module
 */
import { QuadletError } from "./quadlet_error.ts";
import { parseUnit, type QuadletFile, type UnitFile } from "./unit_file.ts";

/** A kind of quadlet. */
export interface QuadletKind {
  /** Its section in the file. */
  section: string;
  /** The end of its service's name, before `.service`. */
  suffix: string;
  keys: ReadonlySet<string>;
}

const COMMON = "ContainersConfModule GlobalArgs PodmanArgs ServiceName";
const REMAP = "RemapGid RemapUid RemapUidSize RemapUsers";
const MAPS = `GIDMap SubGIDMap SubUIDMap UIDMap UserNS ${REMAP}`;
const PULL = "AuthFile CertDir Creds DecryptionKey Retry RetryDelay TLSVerify";
const LOOKUP = "DNS DNSOption DNSSearch";
const HEALTH = "HealthCmd HealthInterval HealthLogDestination HealthMaxLogCount HealthMaxLogSize HealthOnFailure " +
  "HealthRetries HealthStartPeriod HealthStartupCmd HealthStartupInterval HealthStartupRetries HealthStartupSuccess " +
  "HealthStartupTimeout HealthTimeout";
const SECURITY = "AddCapability AppArmor DropCapability Mask NoNewPrivileges SeccompProfile SecurityLabelDisable " +
  "SecurityLabelFileType SecurityLabelLevel SecurityLabelNested SecurityLabelType Unmask";

/** The kinds by the ends of their files' names. */
export const QUADLET_KINDS: Readonly<Record<string, QuadletKind>> = {
  container: makeKind(
    "Container",
    "",
    COMMON,
    MAPS,
    LOOKUP,
    HEALTH,
    SECURITY,
    [
      "AddDevice AddHost Annotation AutoUpdate CgroupsMode ContainerName Entrypoint Environment EnvironmentFile",
      "EnvironmentHost Exec ExposeHostPort Group GroupAdd HostName HttpProxy IP IP6 Image Label LogDriver LogOpt Memory",
      "Mount Network NetworkAlias Notify PidsLimit Pod PublishPort Pull ReadOnly ReadOnlyTmpfs ReloadCmd ReloadSignal",
      "Retry RetryDelay Rootfs RunInit Secret ShmSize StartWithPod StopSignal StopTimeout Sysctl Timezone Tmpfs Ulimit",
      "User VolatileTmp Volume WorkingDir",
    ].join(" "),
  ),
  pod: makeKind(
    "Pod",
    "-pod",
    COMMON,
    MAPS,
    LOOKUP,
    [
      "AddHost ExitPolicy HostName IP IP6 Label Network NetworkAlias PodName PublishPort ShmSize StopTimeout Volume",
    ].join(" "),
  ),
  kube: makeKind(
    "Kube",
    "",
    COMMON,
    REMAP,
    [
      "AutoUpdate ConfigMap ExitCodePropagation KubeDownForce LogDriver LogOpt Network PublishPort SetWorkingDirectory",
      "UserNS Yaml",
    ].join(" "),
  ),
  network: makeKind(
    "Network",
    "-network",
    COMMON,
    [
      "DNS DisableDNS Driver Gateway IPAMDriver IPRange IPv6 InterfaceName Internal Label NetworkDeleteOnStop NetworkName",
      "Options Subnet",
    ].join(" "),
  ),
  volume: makeKind(
    "Volume",
    "-volume",
    COMMON,
    "Copy Device Driver GID Group Image Label Options Type UID User VolumeName",
  ),
  image: makeKind("Image", "-image", COMMON, PULL, "AllTags Arch Image ImageTag OS Policy Variant"),
  build: makeKind(
    "Build",
    "-build",
    COMMON,
    LOOKUP,
    [
      "Annotation Arch AuthFile BuildArg Environment File ForceRM GroupAdd IgnoreFile ImageTag Label Network Pull Retry",
      "RetryDelay Secret SetWorkingDirectory TLSVerify Target Variant Volume",
    ].join(" "),
  ),
  artifact: makeKind("Artifact", "-artifact", COMMON, PULL, "Artifact Quiet"),
};

const SHARED_SECTIONS = new Set(["Unit", "Service", "Install", "Quadlet"]);
/** Keys of `[Service]` that would take Podman from the user that the unit belongs to. */
const FOREIGN_KEYS = ["User", "Group", "DynamicUser"];

/** The kind that a file's name says; `undefined` for another file. */
export function kindOf(name: string): QuadletKind | undefined {
  const end = extensionOf(name);
  return Object.hasOwn(QUADLET_KINDS, end) ? QUADLET_KINDS[end] : undefined;
}

/** `container` of `web.container`; empty without a dot. */
export function extensionOf(name: string): string {
  return /\.([^./]*)$/.exec(name)?.[1] ?? "";
}

/**
 * Reads a quadlet with its drop-ins, and checks that it has no section and no key that its kind does not know.
 *
 * @throws {@linkcode QuadletError}
 */
export function readQuadlet(
  file: QuadletFile,
  dropIns: readonly QuadletFile[] = [],
): { unit: UnitFile; kind: QuadletKind } {
  const kind = kindOf(file.name);
  const base = file.name.slice(0, file.name.lastIndexOf("."));
  if (kind === undefined || !/^[A-Za-z0-9:_.\\-][A-Za-z0-9:_.\\@-]*$/.test(base) || file.name.length > 255) {
    throw new QuadletError({ file: file.name }, "not the name of a quadlet");
  }
  const unit = parseUnit(file, dropIns);
  for (const [section, entries] of unit.sections) {
    const keys = section === kind.section
      ? kind.keys
      : section === "Quadlet"
      ? new Set(["DefaultDependencies"])
      : undefined;
    if (keys === undefined && !SHARED_SECTIONS.has(section) && !section.startsWith("X-")) {
      throw new QuadletError({ file: file.name, line: entries[0]?.line }, `unsupported section [${section}]`);
    }
    for (const { key, file: name = file.name, line } of entries) {
      const isRefused = section === "Service" && FOREIGN_KEYS.includes(key);
      if (!isRefused && (keys === undefined || keys.has(key))) continue;
      throw new QuadletError({ file: name, line, key }, `unsupported key in section [${section}]`);
    }
  }
  return { unit, kind };
}

function makeKind(section: string, suffix: string, ...keys: string[]): QuadletKind {
  return { section, suffix, keys: new Set(keys.flatMap((list) => list.split(" "))) };
}
