import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily, type WholeAPI } from "../implement_family.ts";
import { nativeLogin } from "../images/login.ts";
import { systemAPI } from "./api.ts";
import { checkSystem } from "./check.ts";
import { viewDiskUsage } from "./disk_usage.ts";
import { streamEvents } from "./events.ts";
import { viewInfo } from "./info.ts";
import { keepForever } from "../keep_answer.ts";
import { answerPing } from "./ping.ts";
import { pruneSystem } from "./prune.ts";
import { viewVersion } from "./version.ts";

/** The native system operations over an engine. */
export function implementSystem(engine: Engine, { swaggerText }: WholeAPI): Implementation {
  return implementFamily(systemAPI, {
    Ping: (context) => {
      keepForever(context);
      return answerPing(engine, context.headers);
    },
    PingHead: ({ headers }) => void answerPing(engine, headers),
    VersionHandler: (context) => {
      keepForever(context);
      return viewVersion(engine);
    },
    GetInfo: () => viewInfo(engine),
    DiskUsage: () => viewDiskUsage(engine),
    SystemPrune: (query) => pruneSystem(engine, query),
    SystemCheck: (query, { signal }) => checkSystem(engine, query, signal),
    Auth: async (config, { signal }) => {
      await nativeLogin(engine, config, signal);
      return { IdentityToken: "", Status: "Login Succeeded" };
    },
    ServeSwagger: () => swaggerText(),
    GetEvents: (query, context) => streamEvents(engine, query, context),
  });
}
