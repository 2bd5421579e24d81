/**
 * The queries of builds.
 *
 * @module
 */
import { flag, looseFlag } from "../query.ts";
import { z } from "../zod.ts";

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const number = z.int().optional();

/** Parameters that are no flags, under the same name in both trees. */
const PLAIN = {
  addcaps: text,
  additionalbuildcontexts: texts,
  annotations: text,
  apparmor: text,
  buildargs: text,
  cachefrom: text,
  cacheto: text,
  cachettl: text,
  cgroupparent: text,
  compression: number,
  cppflags: text,
  cpuperiod: number,
  cpuquota: number,
  cpusetcpus: text,
  cpusetmems: text,
  cpushares: number,
  devices: text,
  dnsoptions: text,
  dnssearch: text,
  dnsservers: text,
  dockerfile: text,
  dropcaps: text,
  excludes: text,
  extrahosts: texts,
  from: text,
  groupadd: texts,
  idmappingoptions: text,
  isolation: text,
  jobs: number,
  labelopts: text,
  labels: text,
  layerLabel: texts,
  manifest: text,
  memory: number,
  memswap: number,
  networkmode: text,
  nsoptions: text,
  osfeature: texts,
  osversion: text,
  output: text,
  outputformat: text,
  outputs: text,
  platform: texts,
  pullpolicy: text,
  registry: text,
  remote: text,
  retry: number,
  "retry-delay": text,
  rusagelogfile: text,
  "sbom-image-output": text,
  "sbom-image-purl-output": text,
  "sbom-merge-strategy": text,
  "sbom-output": text,
  "sbom-purl-output": text,
  "sbom-scanner-command": text,
  "sbom-scanner-image": text,
  seccomp: text,
  secrets: text,
  securityopt: texts,
  session: text,
  setenv: texts,
  shmsize: number,
  sourcePolicy: text,
  sourcedateepoch: number,
  t: texts,
  target: text,
  timestamp: number,
  transientRunMounts: texts,
  ulimits: text,
  unsetannotation: texts,
  unsetenv: texts,
  unsetlabel: texts,
  version: text,
  volume: texts,
};

function withFlags<F extends z.ZodType>(flag: F) {
  const one = flag.optional();
  return {
    ...PLAIN,
    allplatforms: one,
    compatvolumes: one,
    createdannotation: one,
    forcerm: one,
    httpproxy: one,
    identitylabel: one,
    ignore: one,
    inheritannotations: one,
    inheritlabels: one,
    layers: one,
    nocache: one,
    nohosts: one,
    omithistory: one,
    pull: one,
    q: one,
    rewritetimestamp: one,
    rm: one,
    rusage: one,
    "save-stages": one,
    skipunusedstages: one,
    squash: one,
    "stage-labels": one,
    tlsVerify: one,
  };
}

/** The query of `BuildImage`. */
export const BuildQuery = z.object(withFlags(flag));
export type BuildQuery = z.output<typeof BuildQuery>;

/** The query of `LocalBuildImage`. */
export const LocalBuildQuery = z.object({ ...withFlags(flag), localcontextdir: text });
export type LocalBuildQuery = z.output<typeof LocalBuildQuery>;

/** The query of `CompatBuildImage`. */
export const CompatBuildQuery = z.object(withFlags(looseFlag));
export type CompatBuildQuery = z.output<typeof CompatBuildQuery>;
