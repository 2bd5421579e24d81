import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { writeMetrics } from "../wire/monitor/open_metrics.ts";
import { monitorAPI } from "./api.ts";
import { engineMetrics } from "./engine_metrics.ts";

/** The operations of those who watch an engine. */
export function implementMonitor(engine: Engine): Implementation {
  return implementFamily(monitorAPI, {
    CheckHealth: async () => {
      await engine.checkHealth();
      return "ok\n";
    },
    ReadMetrics: async () => writeMetrics(engineMetrics(await engine.gatherFigures())),
  });
}
