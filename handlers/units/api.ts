import { api, rest } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { GenerateSystemdQuery, GenerateSystemdReport } from "../wire/units/units.ts";
import { z } from "../wire/zod.ts";

/** Units of systemd, in the native tree. */
export const unitsAPI = api("http://localhost", {
  GenerateSystemd: rest("GET /engine/generate/{name=%v}/systemd?%v", [z.string(), GenerateSystemdQuery], [
    GenerateSystemdReport,
  ]),
}, API_OPTIONS);
