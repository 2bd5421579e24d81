import { EngineError } from "../../engine/errors.ts";
import type { Net } from "../../engine/ports/ports.ts";
import { inLargePieces } from "./large_pieces.ts";

/** The network as workerd has it: certificates are checked as the runtime sees fit, and nobody can choose otherwise. */
export function workersNet(): Net {
  return {
    async fetch(request, tls = {}) {
      // `insecure` also allows plain HTTP, which needs no choice here; over HTTPS the certificate is checked regardless.
      if (tls.ca !== undefined || tls.cert !== undefined) {
        throw new EngineError("unsupported", `Fetch "${request.url}": this runtime takes no certificates of its user`);
      }
      const response = await fetch(request);
      const { body } = response;
      return body ? new Response(inLargePieces(body), response) : response;
    },
  };
}
