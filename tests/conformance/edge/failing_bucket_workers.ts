/**
 * The edge's entry with a bucket that can be told to fail: the header `x-fail-put: N` lets every put from the Nth on throw,
 * until the header comes again. `GET /bucket` lists its keys.
 *
 * @module
 */
import entry, { GantryEngine as Engine } from "../../../lib/platform/entries/workers.ts";
import type { Bindings, DurableObjectState, R2Bucket } from "../../../lib/platform/workers/runtime.ts";

/** Puts until one fails. */
let left = Infinity;

/** The engine on such a bucket. */
export class GantryEngine extends Engine {
  readonly #bucket: R2Bucket | undefined;

  constructor(context: DurableObjectState, bindings: Bindings) {
    const { BLOBS } = bindings;
    super(context, { ...bindings, BLOBS: BLOBS && failing(BLOBS) });
    this.#bucket = BLOBS;
  }

  override async fetch(request: Request): Promise<Response> {
    const count = request.headers.get("x-fail-put");
    if (count !== null) left = Number(count);
    if (!request.url.endsWith("/bucket")) return await super.fetch(request);
    const listed = await this.#bucket?.list({ prefix: "blobs/", limit: 1000 });
    return Response.json(listed?.objects.map(({ key }) => key));
  }
}

export default entry;

function failing(bucket: R2Bucket): R2Bucket {
  return {
    get: (key) => bucket.get(key),
    delete: (keys) => bucket.delete(keys),
    list: (options) => bucket.list(options),
    put: (key, value) => {
      if (--left <= 0) return Promise.reject(new Error("put: We encountered an internal error. (10001)"));
      return bucket.put(key, value);
    },
  };
}
