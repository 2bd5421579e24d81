import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { generateUnits } from "../../lib/engine/units/generate_units.ts";
import type { UnitOptions } from "../../lib/engine/units/unit_options.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { API_VERSION } from "../wire/api_options.ts";
import type { GenerateSystemdQuery } from "../wire/units/units.ts";
import { unitsAPI } from "./api.ts";

/** The native operations on units over an engine. */
export function implementUnits(engine: Engine): Implementation {
  return implementFamily(unitsAPI, {
    GenerateSystemd: async (name, query, { request }) => {
      try {
        const options = unitOptions(query, new URL(request.url).searchParams);
        const units = await generateUnits(engine, name, options, API_VERSION.libpod);
        return Object.fromEntries(units);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        const { code, message, sentinel } = error;
        throw new EngineError(code, `generating systemd units: ${message}`, { cause: error, sentinel });
      }
    },
  });
}

function unitOptions(query: GenerateSystemdQuery, texts: URLSearchParams): UnitOptions {
  const { templateUnitFile: template, additionalEnvVariables: environment, ...options } = query;
  // A decoded query has no empty texts, but an empty prefix is not the default one.
  const emptied = (["containerPrefix", "podPrefix", "separator"] as const).filter((key) => texts.get(key) === "");
  return { ...options, template, environment, ...Object.fromEntries(emptied.map((key) => [key, ""])) };
}
