import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { NetworkDisconnectRequest } from "../wire/compat/network_resource.ts";
import {
  CreateNetworkQuery,
  Network,
  NetworkConnectOptions,
  NetworkFiltersQuery,
  NetworkInspectReport,
  NetworkPruneReport,
  NetworkRmReport,
  NetworkUpdateOptions,
  RemoveNetworkQuery,
} from "../wire/networks/network.ts";
import { z } from "../wire/zod.ts";

const name = z.string();
const AS_TAGGED = { body: "as-tagged" } as const;

/** Networks, in the native tree. */
export const networksAPI = api("http://localhost", {
  CreateNetwork: rest(
    "POST(application/json) /engine/networks/create?%[2]v",
    [body(Network), CreateNetworkQuery],
    [Network],
    { ...AS_TAGGED, status: 200 },
  ),
  ListNetworks: rest("GET /engine/networks/json?%v", [NetworkFiltersQuery], [z.array(Network)]),
  InspectNetwork: rest("GET /engine/networks/{name=%v}/json", [name], [NetworkInspectReport]),
  InspectNetworkShort: rest("GET /engine/networks/{name=%v}", [name], [NetworkInspectReport]),
  ExistsNetwork: rest("GET /engine/networks/{name=%v}/exists", [name]),
  UpdateNetwork: rest(
    "POST(application/json) /engine/networks/{name=%v}/update",
    [name, body(NetworkUpdateOptions)],
    [],
    AS_TAGGED,
  ),
  RemoveNetwork: rest("DELETE /engine/networks/{name=%v}?%v", [name, RemoveNetworkQuery], [z.array(NetworkRmReport)]),
  Connect: rest(
    "POST(application/json) /engine/networks/{name=%v}/connect",
    [name, body(NetworkConnectOptions)],
    [stream("text/plain; charset=us-ascii")],
    AS_TAGGED,
  ),
  Disconnect: rest(
    "POST(application/json) /engine/networks/{name=%v}/disconnect",
    [name, body(NetworkDisconnectRequest)],
    [stream("text/plain; charset=us-ascii")],
    AS_TAGGED,
  ),
  Prune: rest("POST /engine/networks/prune?%v", [NetworkFiltersQuery], [z.array(NetworkPruneReport)]),
}, API_OPTIONS);
