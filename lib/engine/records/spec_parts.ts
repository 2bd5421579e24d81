/** Parts of a container's spec, by subject. */
import type { IDMapping, IDMaps } from "./id_maps.ts";

/** Users, names and the files that tell of them. */
export interface IdentitySpec {
  /** The line a user without an entry gets in /etc/passwd; `$USERNAME`, `$UID`, `$GID`, `$NAME` and `$HOME` are replaced. */
  passwdEntry?: string;
  /** The same for /etc/group: `$GROUPNAME`, `$GID` and `$USERLIST`. */
  groupEntry?: string;
  /** Users of the host whose entries the container's passwd file gets. */
  hostUsers?: string[];
  /** The beginning of /etc/hosts: a path of the host, `image` or `none`; absent: the host's own file. */
  baseHosts?: string;
  /** Leave the image's /etc/hostname. */
  noHostname?: boolean;
  /** The address of `host.containers.internal` and `host-gateway`; `none`: no such names; absent: seen from the network. */
  hostAddress?: string;
  /** Folders of the tree that get /etc/hosts, /etc/hostname and /etc/resolv.conf as well. */
  chrootFolders?: string[];
}

/** A terminal's size in characters. */
export interface TerminalSize {
  height: number;
  width: number;
}

/** The settings of the first process besides its arguments. */
export interface ProcessSpec {
  /** The engine's own environment is passed on. */
  envHost?: boolean;
  /** `NAME=value` in which variables of the image's environment are replaced. */
  envMerge?: string[];
  /** The init of the host to use in place of the engine's. */
  initPath?: string;
  personality?: { domain: "LINUX" | "LINUX32" };
  /** The size that the terminal has at each start, before the program runs. */
  terminalSize?: TerminalSize;
  /** Further options of the mount of /proc. */
  procOptions?: string[];
  /** The OCI runtime, by name or path. */
  runtime?: string;
  /** A further file for the supervisor's process ID. */
  conmonPidFile?: string;
  /** Whether the software is systemd, which wants a place of its own; absent: that is seen from its command. */
  systemd?: "always" | "false";
  /** Bytes of each writable place that systemd gets; absent: half the memory, as the kernel has it. */
  systemdShmSize?: number;
  /** The requested mode of `sd_notify(3)`; there is no service that could be notified. */
  sdNotify?: "container" | "conmon" | "healthy" | "ignore";
}

/** The settings of a container's life. */
export interface LifeSpec {
  /** IDs of containers that must run first. */
  requires?: string[];
  /** Remove the image too when the container is removed by itself. */
  removeImage?: boolean;
}

/** The path of the init in a container that has one. */
export const INIT_PATH = "/run/podman-init";

/** The empty file by which programs know a container of Docker's. Podman's have `/run/.containerenv`. */
export const DOCKER_MARK = "/.dockerenv";

/**
 * Files that the engine makes in the tree of a container with these settings, other than places of mounts: no changes of the container's,
 * and no image that is made of it has them.
 */
export function engineFiles({ defaults }: { defaults?: "docker" }): string[] {
  return defaults === "docker" ? [DOCKER_MARK] : [];
}

/** Returns the words that a container's first process starts with: its command, by its init where it has one. */
export function firstProcess({ init }: { init: boolean }, command: readonly string[]): string[] {
  return init ? [INIT_PATH, "--", ...command] : [...command];
}

/** A container's place in a pod. */
export interface MemberSpec {
  /** The pod: its name, ID or ID prefix in a request, its ID in a record. */
  pod?: string;
  /** Runs to its end before the pod's other containers start: at every start, or once, after which it is removed. */
  initContainer?: "always" | "once";
  /** Holds the namespaces that the pod's containers share. Without an image its tree has `/catatonit`, and nothing else. */
  infra?: true;
}

/** The settings requested of the machine's security modules. */
export interface SecuritySpec {
  /** Paths that are not seen, in place of the usual ones; `masks` come on top. */
  maskedPaths?: string[];
  /** Paths that are read-only, in place of the usual ones. */
  readOnlyPaths?: string[];
  /** The capabilities that others are added to and dropped from; absent: the engine's. */
  baseCapabilities?: string[];
  apparmor?: string;
  selinux?: string[];
  /** SELinux labels may be changed in the container. */
  labelNested?: boolean;
  /** The engine whose confinement the container gets where none is requested; absent: Podman's. */
  defaults?: "docker";
  /** The seccomp profile comes from the image's label, where it has one. */
  seccompPolicy?: "default" | "image";
  /** A seccomp profile's own text; it wins over a file. */
  seccompText?: string;
}

/**
 * The IDs of a user namespace: spelled out, taken from those the host has to give, or those of the server's user: with the user's own ID
 * at a number (`keepID`), or without it (`noMap`).
 */
export type UserMapsWish = IDMaps | { auto: AutoMaps } | { keepID: KeptID } | { noMap: true };

/** The ID that the server's user has in the container; its own where none is given. */
export interface KeptID {
  uid?: number;
  gid?: number;
  /** The most IDs of the namespace. */
  size?: number;
}

/** Wishes for a namespace of IDs that nobody else has. */
export interface AutoMaps {
  /** How many IDs. */
  size?: number;
  /** Mappings it must have besides. */
  uids: IDMapping[];
  gids: IDMapping[];
}

/** Which users there are. */
export interface UserSpec {
  /** With a private user namespace: which IDs of the host its users are. */
  userMaps?: UserMapsWish;
}

/**
 * A request's own words for what the engine keeps in another form. A client that compares what it asked for with what an inspection
 * shows would take the other form for a difference, and make the container again.
 */
export interface RequestWords {
  /** The image's short name, where the container has its full one. */
  image?: string;
  /** Capabilities that are added, and those that are dropped. */
  capAdd?: string[];
  capDrop?: string[];
  /** Rules for devices, `c 7:128 rwm`. */
  deviceRules?: string[];
  /** Folders and volumes, `source:destination:options`. */
  binds?: string[];
  /** The options of each tmpfs, by its place. */
  tmpfs?: Record<string, string>;
  /** Mounts in the client's JSON, which only its own tree reads. */
  mounts?: Record<string, unknown>[];
  /** `no-new-privileges:true`, `label=disable`, …, without profiles of seccomp. */
  securityOptions?: string[];
  userNamespace?: string;
}
