import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily, type WholeAPI } from "../implement_family.ts";
import { systemAPI } from "./api.ts";
import { events } from "./events.ts";
import { info } from "./info.ts";
import { ping } from "./ping.ts";
import { version } from "./version.ts";

/** The native system operations over an engine. */
export function system(engine: Engine, { swaggerText }: WholeAPI): Implementation {
  return implementFamily(systemAPI, {
    Ping: ({ headers }) => ping(headers),
    PingHead: ({ headers }) => void ping(headers),
    VersionHandler: () => version(engine),
    GetInfo: () => info(engine),
    ServeSwagger: () => swaggerText(),
    GetEvents: (query, context) => events(engine, query, context),
  });
}
