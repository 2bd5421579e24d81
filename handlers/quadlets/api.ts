import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import {
  InstallQuadletsQuery,
  ListQuadlet,
  ListQuadletsQuery,
  QuadletInstallReport,
  QuadletRemoveReport,
  RemoveQuadletQuery,
  RemoveQuadletsQuery,
} from "../wire/quadlets/quadlet.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** Quadlets: systemd units of containers, pods, volumes and the rest, in Podman's form. */
export const quadletsAPI = api("http://localhost", {
  ListQuadlets: rest("GET /engine/quadlets/json?%v", [ListQuadletsQuery], [z.array(ListQuadlet)]),
  GetQuadletPrint: rest("GET /engine/quadlets/{name=%v}/file", [name], [stream("text/plain")]),
  QuadletExists: rest("GET /engine/quadlets/{name=%v}/exists", [name]),
  InstallQuadlets: rest(
    "POST(application/x-tar) /engine/quadlets?%v",
    [InstallQuadletsQuery, stream()],
    [QuadletInstallReport],
    { body: "as-tagged" },
  ),
  RemoveQuadlet: rest("DELETE /engine/quadlets/{name=%v}?%v", [name, RemoveQuadletQuery], [QuadletRemoveReport]),
  RemoveQuadlets: rest("DELETE /engine/quadlets?%v", [RemoveQuadletsQuery], [QuadletRemoveReport]),
}, API_OPTIONS);
