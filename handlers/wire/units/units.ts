/**
 * The query and the report of generated units.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

const texts = z.array(z.string()).optional();
const seconds = z.int().min(0).max(0xffff_ffff).optional();

/** The query of `GenerateSystemd`. */
export const GenerateSystemdQuery = z.object({
  useName: optionalFlag,
  new: optionalFlag,
  noHeader: optionalFlag,
  templateUnitFile: optionalFlag,
  restartPolicy: z.string().optional(),
  restartSec: seconds,
  stopTimeout: seconds,
  startTimeout: seconds,
  containerPrefix: z.string().optional(),
  podPrefix: z.string().optional(),
  separator: z.string().optional(),
  wants: texts,
  after: texts,
  requires: texts,
  additionalEnvVariables: texts,
});
export type GenerateSystemdQuery = z.output<typeof GenerateSystemdQuery>;

/** Units by the names of their services. */
export const GenerateSystemdReport = z.record(z.string(), z.string());
