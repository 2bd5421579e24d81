/**
 * The security contexts of pods and containers.
 *
 * @module
 */
import type { MemberRequest } from "../../containers/request/container_request.ts";
import { seccompPath } from "./annotations.ts";
import type { Fields } from "./fields.ts";

/** The security context of a pod: it holds for all of its containers whose own says nothing. */
export interface PodSecurity {
  user?: number;
  group?: number;
  groups: number[];
  fsGroup?: number;
  nonRoot?: boolean;
  selinux?: string[];
  seccomp?: string;
  apparmor?: string;
  sysctl: Record<string, string>;
}

/** Reads the security context of a pod. */
export function readPodSecurity(context: Fields | undefined): PodSecurity {
  if (context === undefined) return { groups: [], sysctl: {} };
  context.skip("fsGroupChangePolicy");
  const sysctl = context.list("sysctls").map((entry) => [entry.needText("name"), entry.text("value") ?? ""]);
  return {
    user: context.number("runAsUser"),
    group: context.number("runAsGroup"),
    groups: context.numbers("supplementalGroups"),
    fsGroup: context.number("fsGroup"),
    nonRoot: context.flag("runAsNonRoot"),
    selinux: readLabels(context),
    seccomp: readSeccomp(context),
    apparmor: readAppArmor(context),
    sysctl: Object.fromEntries(sysctl),
  };
}

/** Reads the security context of a container, over that of its pod. */
export function readSecurity(
  context: Fields | undefined,
  pod: PodSecurity,
): { request: MemberRequest; nonRoot: boolean } {
  const user = context?.number("runAsUser") ?? pod.user;
  const group = context?.number("runAsGroup") ?? pod.group;
  const escalates = context?.flag("allowPrivilegeEscalation");
  const mount = context?.word("procMount", ["Default", "Unmasked"]);
  const capabilities = context?.inner("capabilities");
  const seccomp = (context && readSeccomp(context)) ?? pod.seccomp;
  const apparmor = (context && readAppArmor(context)) ?? pod.apparmor;
  const groups = [...new Set([...pod.groups, ...pod.fsGroup === undefined ? [] : [pod.fsGroup]])];
  // A group alone goes with root.
  const owner = group === undefined ? user : `${user ?? 0}:${group}`;
  return {
    nonRoot: context?.flag("runAsNonRoot") ?? pod.nonRoot ?? false,
    request: {
      user: owner === undefined ? undefined : String(owner),
      groups: groups.map(String),
      readOnly: context?.flag("readOnlyRootFilesystem"),
      // As Podman has it: what is read-only for the image's sake is not so for the program's.
      readWriteTmpfs: true,
      privileged: context?.flag("privileged"),
      noNewPrivileges: escalates === undefined ? undefined : !escalates,
      unmasks: mount === "Unmasked" ? ["ALL"] : [],
      capAdd: capabilities?.texts("add") ?? [],
      capDrop: capabilities?.texts("drop") ?? [],
      selinux: (context && readLabels(context)) ?? pod.selinux,
      ...seccomp !== undefined && { seccomp },
      ...apparmor !== undefined && { apparmor },
    },
  };
}

function readLabels(context: Fields): string[] | undefined {
  const options = context.inner("seLinuxOptions");
  if (options === undefined) return undefined;
  const labels = ["user", "role", "type", "level", "filetype"].flatMap((key) => {
    const text = options.text(key === "filetype" ? "fileType" : key);
    return text ? [`${key}:${text}`] : [];
  });
  return labels.length > 0 ? labels : undefined;
}

function readSeccomp(context: Fields): string | undefined {
  const profile = context.inner("seccompProfile");
  const type = profile?.word("type", ["RuntimeDefault", "Unconfined", "Localhost"]);
  if (profile === undefined || type === "RuntimeDefault" || type === undefined) return undefined;
  return type === "Unconfined" ? "unconfined" : seccompPath(profile.needText("localhostProfile"));
}

function readAppArmor(context: Fields): string | undefined {
  const profile = context.inner("appArmorProfile");
  const type = profile?.word("type", ["RuntimeDefault", "Unconfined", "Localhost"]);
  if (profile === undefined || type === "RuntimeDefault" || type === undefined) return undefined;
  return type === "Unconfined" ? "unconfined" : profile.needText("localhostProfile");
}
