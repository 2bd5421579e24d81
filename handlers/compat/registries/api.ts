import { api, rest } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { AuthConfig } from "../../wire/auth.ts";
import { body } from "../../wire/body.ts";
import { AuthReport, DistributionInspect } from "../../wire/compat/registry.ts";
import { z } from "../../wire/zod.ts";

/** What Docker's clients ask of registries through the engine. */
export const compatRegistriesAPI = api("http://localhost", {
  CompatAuth: rest("POST(application/json) /auth", [body(AuthConfig)], [AuthReport], { body: "as-tagged" }),
  CompatInspectDistribution: rest("GET /distribution/{name*=%v}/json", [z.string()], [DistributionInspect]),
}, API_OPTIONS);
