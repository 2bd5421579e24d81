/**
 * The parts of the OCI runtime specification's `config.json` that are written here.
 *
 * @module
 */

import type { Limits } from "../../../engine/records/limits.ts";
import type { TerminalSize } from "../../../engine/records/spec_parts.ts";

/** `mounts[]`. */
export interface SpecMount {
  destination: string;
  type?: string;
  source?: string;
  options?: string[];
  uidMappings?: SpecIDMapping[];
  gidMappings?: SpecIDMapping[];
}

/** `linux.uidMappings[]`, `linux.gidMappings[]` and those of mounts. */
export interface SpecIDMapping {
  containerID: number;
  hostID: number;
  size: number;
}

/** One of `hooks`' lists. */
export interface SpecHook {
  path: string;
  args?: string[];
  env?: string[];
  timeout?: number;
}

/** `linux.devices[]`. */
export interface SpecDevice {
  path: string;
  type: "b" | "c" | "p";
  major: number;
  minor: number;
  fileMode?: number;
  uid?: number;
  gid?: number;
}

/** `linux.namespaces[]`. */
export interface SpecNamespace {
  type: "pid" | "network" | "mount" | "ipc" | "uts" | "user" | "cgroup";
  path?: string;
}

/** `linux.seccomp.syscalls[]`. */
export interface SpecSyscall {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
}

/** `linux.seccomp`. */
export interface SpecSeccomp {
  defaultAction: string;
  defaultErrnoRet?: number;
  architectures: string[];
  syscalls: SpecSyscall[];
}

/** `process.capabilities`, each name with `CAP_`. */
export interface SpecCapabilities {
  bounding: string[];
  effective: string[];
  permitted: string[];
  inheritable: string[];
  ambient: string[];
}

/** `process.user`. */
export interface SpecUser {
  uid: number;
  gid: number;
  additionalGids?: number[];
  umask?: number;
}

/** `process.rlimits[]`. JSON has no exact number as large as RLIM_INFINITY: see `writeSpec`. */
export interface SpecRLimit {
  type: string;
  soft: bigint;
  hard: bigint;
}

/** `config.json` as a whole. */
export interface RuntimeSpec {
  ociVersion: string;
  process: {
    terminal: boolean;
    /** The terminal's size, in rows and columns. */
    consoleSize?: TerminalSize;
    user: SpecUser;
    args: string[];
    env: string[];
    cwd: string;
    capabilities: SpecCapabilities;
    rlimits: SpecRLimit[];
    noNewPrivileges: boolean;
    apparmorProfile?: string;
    oomScoreAdj?: number;
  };
  root: { path: string; readonly: boolean };
  hostname?: string;
  mounts: SpecMount[];
  annotations: Record<string, string>;
  hooks?: Record<string, SpecHook[]>;
  linux: {
    uidMappings?: SpecIDMapping[];
    gidMappings?: SpecIDMapping[];
    personality?: { domain: string };
    namespaces: SpecNamespace[];
    resources: Limits;
    cgroupsPath?: string;
    sysctl: Record<string, string>;
    devices?: SpecDevice[];
    seccomp?: SpecSeccomp;
    maskedPaths: string[];
    readonlyPaths: string[];
    rootfsPropagation: string;
  };
}
