import type { Descriptor } from "../../../oci/descriptor.ts";
import { EngineError } from "../../errors.ts";
import { reportLayer, throttled } from "../layer_reports.ts";
import type { FetchContext } from "./image_fetch.ts";
import { Slots } from "../../concurrency.ts";
import { unpackOnce } from "../ingest/ingest.ts";

/** A layer as manifest and config know it. */
export interface LayerToFetch {
  descriptor: Descriptor;
  diffID: string;
}

/**
 * Fetches layers, a few at a time, and unpacks each where there is a host, as many at a time, while others are fetched.
 * Layers that are there already, or that another pull is fetching, are not fetched. The first failure stops the others.
 */
export async function fetchLayers(context: FetchContext, layers: readonly LayerToFetch[]): Promise<void> {
  const distinct = [...new Map(layers.map((layer) => [`${layer.descriptor.digest} ${layer.diffID}`, layer])).values()];
  const stop = new AbortController();
  const own = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  for (const { descriptor, diffID } of distinct) {
    context.claim.add(`blob:${descriptor.digest}`);
    context.claim.add(`layer:${diffID}`);
    reportLayer(context, descriptor, "waiting", 0);
  }
  const { parallelBlobs } = context.core.options.limits;
  const [fetching, unpacking] = [new Slots(parallelBlobs), new Slots(parallelBlobs)];
  const failures: unknown[] = [];
  await Promise.all(distinct.map(async (layer) => {
    const { descriptor } = layer;
    try {
      const fetch = () => own.content.with(`blob:${descriptor.digest}`, () => fetchBlob(own, descriptor), own.signal);
      const isFetched = await fetching.use(fetch, own.signal);
      await unpacking.use(() => unpackFetched(own, layer, isFetched), own.signal);
    } catch (error) {
      failures.push(error);
      stop.abort(error);
    }
  }));
  context.signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}

async function unpackFetched(context: FetchContext, layer: LayerToFetch, isFetched: boolean): Promise<void> {
  const { descriptor, diffID } = layer;
  const isUnpacked = await unpackOnce(context, { digest: descriptor.digest, diffID }, {
    begin: () => reportLayer(context, descriptor, "extracting", descriptor.size),
  });
  reportLayer(context, descriptor, isFetched || isUnpacked ? "done" : "exists", descriptor.size);
}

/** Stores the blob unless it is there; tells whether it was fetched. */
async function fetchBlob(context: FetchContext, descriptor: Descriptor): Promise<boolean> {
  const { core: { ports: { blobs } }, tell } = context;
  const { digest, size } = descriptor;
  if (await blobs.stat(digest)) return false;
  tell({ kind: "status", text: `Copying blob ${digest}` });
  const staged = await blobs.staged(digest);
  if (staged > 0 && staged <= size) {
    try {
      await storeBlob(context, descriptor, staged);
      return true;
    } catch (error) {
      // The staged bytes may be the corrupt ones: fetch once more, from the start.
      if (!(error instanceof EngineError) || error.code !== "corrupt") throw error;
    }
  }
  await storeBlob(context, descriptor, 0);
  return true;
}

async function storeBlob(context: FetchContext, descriptor: Descriptor, offset: number): Promise<void> {
  const { core, client, reference, signal } = context;
  const { digest, size } = descriptor;
  const tell = (current: number) => reportLayer(context, descriptor, "pulling", current);
  tell(offset);
  const source = offset < size || size === 0
    ? await client.blob(reference, descriptor, { offset, signal, onBytes: throttled(core.clock, tell) })
    : new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  await core.ports.blobs.put(source, { digest, size, offset, signal });
}
