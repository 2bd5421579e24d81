/**
 * The parts of a `SpecGenerator`.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `specgen.Namespace`. */
export const Namespace = z.object({
  nsmode: z.string().optional(),
  value: z.string().optional(),
});
export type Namespace = z.output<typeof Namespace>;

/** `specgen.LogConfig`. */
export const LogConfig = z.object({
  driver: z.string().optional(),
  path: z.string().optional(),
  size: z.int().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  options: z.record(z.string(), z.string()).optional(),
});
export type LogConfig = z.output<typeof LogConfig>;

/** `specgen.NamedVolume`. */
export const NamedVolume = z.object({
  Name: z.string(),
  Dest: z.string(),
  Options: z.array(z.string()).nullable(),
  IsAnonymous: z.boolean(),
  SubPath: z.string(),
});
export type NamedVolume = z.output<typeof NamedVolume>;

/** `specgen.OverlayVolume`. */
export const OverlayVolume = z.object({
  destination: z.string(),
  source: z.string().optional(),
  options: z.array(z.string()).optional(),
});
export type OverlayVolume = z.output<typeof OverlayVolume>;

/** `specgen.ImageVolume`. */
export const ImageVolume = z.object({
  Source: z.string(),
  Destination: z.string(),
  ReadWrite: z.boolean(),
  subPath: z.string().optional(),
});
export type ImageVolume = z.output<typeof ImageVolume>;

/** `specgen.ArtifactVolume`. */
export const ArtifactVolume = z.object({
  source: z.string(),
  destination: z.string(),
  title: z.string().optional(),
  digest: z.string().optional(),
  name: z.string().optional(),
});
export type ArtifactVolume = z.output<typeof ArtifactVolume>;

/** `specgen.Secret`. */
export const Secret = z.object({
  Source: z.string(),
  Target: z.string(),
  UID: z.int(),
  GID: z.int(),
  Mode: z.int(),
});
export type Secret = z.output<typeof Secret>;

/** `specs.LinuxIDMapping`. */
export const LinuxIDMapping = z.object({
  containerID: z.int(),
  hostID: z.int(),
  size: z.int(),
});
export type LinuxIDMapping = z.output<typeof LinuxIDMapping>;

/** `specs.Mount`. */
export const Mount = z.object({
  destination: z.string(),
  type: z.string().optional(),
  source: z.string().optional(),
  options: z.array(z.string()).optional(),
  uidMappings: z.array(LinuxIDMapping).optional(),
  gidMappings: z.array(LinuxIDMapping).optional(),
});
export type Mount = z.output<typeof Mount>;

/** `specs.LinuxPersonality`. */
export const LinuxPersonality = z.object({
  domain: z.string(),
  flags: z.array(z.string()).optional(),
});
export type LinuxPersonality = z.output<typeof LinuxPersonality>;

/** `idtools.IDMap`. */
export const IDMap = z.object({
  container_id: z.int(),
  host_id: z.int(),
  size: z.int(),
});
export type IDMap = z.output<typeof IDMap>;

/** `storageTypes.AutoUserNsOptions`. */
export const AutoUserNsOptions = z.object({
  Size: z.int(),
  InitialSize: z.int(),
  PasswdFile: z.string(),
  GroupFile: z.string(),
  AdditionalUIDMappings: z.array(IDMap).nullable(),
  AdditionalGIDMappings: z.array(IDMap).nullable(),
});
export type AutoUserNsOptions = z.output<typeof AutoUserNsOptions>;

/** `storageTypes.IDMappingOptions`. */
export const IDMappingOptions = z.object({
  HostUIDMapping: z.boolean(),
  HostGIDMapping: z.boolean(),
  UIDMap: z.array(IDMap).nullable(),
  GIDMap: z.array(IDMap).nullable(),
  AutoUserNs: z.boolean(),
  AutoUserNsOpts: AutoUserNsOptions,
});
export type IDMappingOptions = z.output<typeof IDMappingOptions>;

/** `nettypes.PerNetworkOptions`. */
export const PerNetworkOptions = z.object({
  static_ips: z.array(z.string()).optional(),
  aliases: z.array(z.string()).optional(),
  static_mac: z.string(),
  interface_name: z.string(),
  options: z.record(z.string(), z.string()).optional(),
});
export type PerNetworkOptions = z.output<typeof PerNetworkOptions>;
