import { api, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import {
  CompatRemoveNetworkQuery,
  InspectNetworkQuery,
  NetworkConnectRequest,
  NetworkCreateRequest,
  NetworkCreateResponse,
  NetworkDisconnectRequest,
  NetworkInspect,
  NetworksPruneReport,
  NetworkSummary,
} from "../../wire/compat/network_resource.ts";
import { NetworkFiltersQuery } from "../../wire/networks/network.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();
const AS_TAGGED = { body: "as-tagged" } as const;

/** Networks, in Docker's tree. */
export const compatNetworksAPI = api("http://localhost", {
  CompatCreateNetwork: rest(
    "POST(application/json) /networks/create",
    [body(NetworkCreateRequest)],
    [NetworkCreateResponse],
    { ...AS_TAGGED, status: 201 },
  ),
  CompatListNetworks: rest("GET /networks?%v", [NetworkFiltersQuery], [z.array(NetworkSummary)]),
  CompatInspectNetwork: rest("GET /networks/{name=%v}?%v", [name, InspectNetworkQuery], [NetworkInspect]),
  CompatRemoveNetwork: rest("DELETE /networks/{name=%v}?%v", [name, CompatRemoveNetworkQuery]),
  CompatConnect: rest(
    "POST(application/json) /networks/{name=%v}/connect",
    [name, body(NetworkConnectRequest)],
    [stream("text/plain; charset=us-ascii")],
    AS_TAGGED,
  ),
  CompatDisconnect: rest(
    "POST(application/json) /networks/{name=%v}/disconnect",
    [name, body(NetworkDisconnectRequest)],
    [stream("text/plain; charset=us-ascii")],
    AS_TAGGED,
  ),
  CompatPrune: rest("POST /networks/prune?%v", [NetworkFiltersQuery], [NetworksPruneReport]),
}, API_OPTIONS);
