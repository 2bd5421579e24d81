/**
 * The fields of answers that the client reads. Servers of other makes and ages leave out what ours has, so that nothing more is asked for.
 *
 * @module
 */
import { z } from "../../../handlers/wire/zod.ts";

const texts = z.record(z.string(), z.string()).nullish();

/** A container, as either tree inspects it. */
export const ContainerView = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  State: z.looseObject({
    Status: z.string(),
    ExitCode: z.number(),
    Health: z.looseObject({ Status: z.string().nullish() }).nullish(),
    Healthcheck: z.looseObject({ Status: z.string().nullish() }).nullish(),
  }),
  Config: z.looseObject({ Image: z.string().nullish(), Labels: texts, Tty: z.boolean().nullish() }),
  NetworkSettings: z.looseObject({
    IPAddress: z.string().nullish(),
    Ports: z.record(
      z.string(),
      z.array(z.looseObject({ HostIp: z.string().nullish(), HostPort: z.string() })).nullish(),
    )
      .nullish(),
    Networks: z.record(z.string(), z.looseObject({ IPAddress: z.string().nullish() }).nullish()).nullish(),
  }),
});
export type ContainerView = z.output<typeof ContainerView>;

/** A container in a list of either tree. */
export const ListedContainer = z.looseObject({
  Id: z.string(),
  Names: z.array(z.string()).nullish(),
  Image: z.string(),
  State: z.string(),
  Labels: texts,
});
export type ListedContainer = z.output<typeof ListedContainer>;

/** An image in a list of either tree. */
export const ListedImage = z.looseObject({
  Id: z.string(),
  RepoTags: z.array(z.string()).nullish(),
  Size: z.number(),
  Labels: texts,
});
export type ListedImage = z.output<typeof ListedImage>;

/** An exec session, as either tree inspects it. */
export const ExecView = z.looseObject({ Running: z.boolean(), ExitCode: z.number().nullish() });

/** An image, as either tree inspects it. */
export const ImageView = z.looseObject({ Id: z.string() });

/** An identifier that a create operation answers with. */
export const CreatedView = z.looseObject({ Id: z.string(), Warnings: z.array(z.string()).nullish() });

const figures = z.looseObject({ current: z.number().nullish(), total: z.number().nullish() }).nullish();

/** A step of a pull, push or build, of either tree. */
export const StepView = z.looseObject({
  status: z.string().nullish(),
  stream: z.string().nullish(),
  id: z.string().nullish(),
  error: z.string().nullish(),
  progressDetail: figures,
  pullProgress: figures,
  aux: z.looseObject({ ID: z.string().nullish() }).nullish(),
});
export type StepView = z.output<typeof StepView>;

/** A report of which nothing is read. */
export const Told = z.looseObject({});
