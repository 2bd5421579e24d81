/**
 * Reports and queries of Kubernetes documents.
 *
 * @module
 */
import { PodRmReport, PodRunReport } from "../pods/pod.ts";
import { optionalFlag, textMap } from "../query.ts";
import { SecretCreateReport } from "../secrets/secret.ts";
import { z } from "../zod.ts";

const texts = z.array(z.string()).nullable();

/** `entitiesTypes.PlayKubePod`. */
export const PlayKubePod = z.object({
  ID: z.string(),
  Containers: texts,
  InitContainers: texts,
  /** A line for each part of the document that nobody honours. */
  Logs: texts,
  ContainerErrors: texts,
});

/** `entitiesTypes.PlaySecret`. */
export const PlaySecret = z.object({ CreateReport: SecretCreateReport.nullish() });

/** `entitiesTypes.VolumeRmReport`. */
export const VolumeRmReport = z.object({ Err: z.string().nullable(), Id: z.string() });

/** `entitiesTypes.SecretRmReport`. */
export const SecretRmReport = z.object({ ID: z.string(), Err: z.string().nullable() });

/** `entitiesTypes.PlayKubeReport`, of a play and of its end. */
export const PlayKubeReport = z.object({
  Pods: z.array(PlayKubePod).nullable(),
  Volumes: z.array(z.object({ Name: z.string() })).nullable(),
  StopReport: z.array(PodRunReport).nullable(),
  RmReport: z.array(PodRmReport).nullable(),
  VolumeRmReport: z.array(VolumeRmReport).nullable(),
  SecretRmReport: z.array(SecretRmReport).nullable(),
  Secrets: z.array(PlaySecret).nullable(),
  ServiceContainerID: z.string(),
  ExitCode: z.int().nullish(),
});
export type PlayKubeReport = z.output<typeof PlayKubeReport>;

/** The query of `PlayKube`. `wait` is the client's: it waits for the service container. `noTrunc` changes nothing: annotations are kept whole. */
export const PlayKubeQuery = z.object({
  annotations: textMap.optional(),
  logDriver: z.string().optional(),
  logOptions: z.array(z.string()).optional(),
  network: z.array(z.string()).optional(),
  noHostname: optionalFlag,
  noHosts: optionalFlag,
  noTrunc: optionalFlag,
  replace: optionalFlag,
  publishPorts: z.array(z.string()).optional(),
  publishAllPorts: optionalFlag,
  serviceContainer: optionalFlag,
  start: optionalFlag,
  staticIPs: z.array(z.string()).optional(),
  staticMACs: z.array(z.string()).optional(),
  tlsVerify: optionalFlag,
  userns: z.string().optional(),
  wait: optionalFlag,
  build: optionalFlag,
  noPodPrefix: optionalFlag,
});
export type PlayKubeQuery = z.output<typeof PlayKubeQuery>;

/** The query of `PlayKubeDown`. */
export const PlayKubeDownQuery = z.object({ force: optionalFlag });

/** The query of `GenerateKube`; `noTrunc` changes nothing: annotations are kept whole. */
export const GenerateKubeQuery = z.object({
  names: z.array(z.string()).optional(),
  service: optionalFlag,
  type: z.string().optional(),
  replicas: z.int().optional(),
  podmanOnly: optionalFlag,
  noTrunc: optionalFlag,
});
export type GenerateKubeQuery = z.output<typeof GenerateKubeQuery>;

/** The query of `KubeApply`. `service` and `file` are the client's, which generates the documents. */
export const ApplyKubeQuery = z.object({
  caCertFile: z.string().optional(),
  kubeconfig: z.string().optional(),
  namespace: z.string().optional(),
  service: optionalFlag,
  file: z.string().optional(),
});
export type ApplyKubeQuery = z.output<typeof ApplyKubeQuery>;
