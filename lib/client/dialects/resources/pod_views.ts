/**
 * The fields of answers about pods that the client reads.
 *
 * @module
 */
import { z } from "../../../../handlers/wire/zod.ts";

const texts = z.record(z.string(), z.string()).nullish();

/** The report of a change: the errors of the containers that it failed for. */
export const PodChange = z.looseObject({ Id: z.string().nullish(), Errs: z.array(z.unknown()).nullish() });

/** The report of a removal. */
export const PodRemoval = z.looseObject({ Id: z.string().nullish(), Err: z.unknown().optional() });

/** A pod in a list. */
export const ListedPod = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  Status: z.string(),
  Created: z.string().nullish(),
  InfraId: z.string().nullish(),
  Labels: texts,
  Containers: z.array(z.looseObject({ Id: z.string(), Names: z.string(), Status: z.string() })).nullish(),
});

/** A pod as it is inspected. */
export const PodView = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  State: z.string(),
  Created: z.string().nullish(),
  Hostname: z.string().nullish(),
  Labels: texts,
  InfraContainerID: z.string().nullish(),
  InfraConfig: z.looseObject({
    PortBindings: z.record(
      z.string(),
      z.array(z.looseObject({ HostIp: z.string().nullish(), HostPort: z.string() })).nullish(),
    ).nullish(),
  }).nullish(),
  Containers: z.array(z.looseObject({ Id: z.string(), Name: z.string(), State: z.string() })).nullish(),
});

/** Figures of a container, in words. */
export const PodFigures = z.looseObject({
  Pod: z.string(),
  CID: z.string(),
  Name: z.string(),
  CPU: z.string(),
  Mem: z.string(),
  MemUsage: z.string(),
  NetIO: z.string(),
  BlockIO: z.string(),
  PIDS: z.string(),
});
