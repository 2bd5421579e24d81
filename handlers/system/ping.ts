import type { Engine } from "../../lib/engine/engine.ts";
import { VERSION } from "../../lib/engine/info.ts";
import { API_VERSION } from "../wire/api_options.ts";

/** Answers that the service is there; the headers say what it speaks, and which server it is. */
export function answerPing({ builds }: Engine, headers: Headers): string {
  headers.set("Gantry-Version", VERSION);
  headers.set("Libpod-Buildah-Version", API_VERSION.libpod);
  headers.set("Buildkit-Version", "");
  // 2: Docker's clients build by BuildKit's protocol.
  headers.set("Builder-Version", builds.grpc === undefined ? "1" : "2");
  headers.set("Docker-Experimental", "true");
  headers.set("Cache-Control", "no-cache");
  headers.set("Pragma", "no-cache");
  headers.set("Ostype", "linux");
  return "OK";
}
