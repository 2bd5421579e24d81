/**
 * Docker's plugins, of which there are none.
 *
 * @module
 */
import { filters } from "../query.ts";
import { z } from "../zod.ts";

/** `plugin.Plugin` of Docker's API. */
export const Plugin = z.looseObject({ Name: z.string() });

/** The query of `CompatListPlugins`. */
export const ListPluginsQuery = z.object({ filters: filters.optional() });
