/**
 * Secrets, in both trees.
 *
 * @module
 */
import { flag, looseFlag } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

const texts = z.record(z.string(), z.string()).nullable();

/** `entitiesTypes.SecretDriverSpec`. */
export const SecretDriverSpec = z.object({ Name: z.string(), Options: texts });

/** `entitiesTypes.SecretSpec`. */
export const SecretSpec = z.object({ Name: z.string(), Driver: SecretDriverSpec, Labels: texts });

/** `entitiesTypes.SecretInfoReport`. */
export const SecretInfoReport = z.object({
  ID: z.string(),
  CreatedAt: time,
  UpdatedAt: time,
  Spec: SecretSpec,
  /** The value, for who asks to see it. */
  SecretData: z.string().optional(),
});
export type SecretInfoReport = z.output<typeof SecretInfoReport>;

/** `entitiesTypes.SecretInfoReportCompat`. */
export const SecretInfoReportCompat = SecretInfoReport.extend({ Version: z.object({ Index: z.number() }) });
export type SecretInfoReportCompat = z.output<typeof SecretInfoReportCompat>;

/** `entitiesTypes.SecretCreateReport`. */
export const SecretCreateReport = z.object({ ID: z.string() });
export type SecretCreateReport = z.output<typeof SecretCreateReport>;

/** `entities.SecretCreateRequest`. */
export const SecretCreateRequest = z.object({
  Name: z.string(),
  /** Base64. */
  Data: z.string(),
  Driver: SecretDriverSpec,
  Labels: texts,
  Templating: SecretDriverSpec.nullish(),
});
export type SecretCreateRequest = z.output<typeof SecretCreateRequest>;

/** A JSON object of texts; what is none is an empty one, as Podman reads it. */
const map = z.string().transform((text): Record<string, string> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item === "string"));
  } catch {
    return {};
  }
});

/** The query of `CreateSecret`. */
export const CreateSecretQuery = z.object({
  name: z.string().optional(),
  driver: z.string().optional(),
  driveropts: map.optional(),
  labels: map.optional(),
  replace: flag.optional(),
  ignore: flag.optional(),
});

/** The query of `ListSecrets`, whose filters are read by the operation: it has an error of its own for them. */
export const ListSecretsQuery = z.object({ filters: z.string().optional() });

/** The query of `InspectSecret`. */
export const InspectSecretQuery = z.object({ showsecret: flag.optional() });

/** The query of `CompatInspectSecret`. */
export const CompatInspectSecretQuery = z.object({ showsecret: looseFlag.optional() });

/** The query of `RemoveSecret`. */
export const RemoveSecretQuery = z.object({ all: flag.optional() });

/** The query of `CompatUpdateSecret`. */
export const UpdateSecretQuery = z.object({ version: z.string().optional() });
