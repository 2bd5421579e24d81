import type { CRIUStatistics as Statistics } from "../../lib/engine/ports/checkpoint_port.ts";
import type { PortMapping } from "../../lib/engine/records/container_record.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import {
  type CheckpointQuery,
  CheckpointReport,
  type CRIUStatistics,
  RestoreReport,
} from "../wire/containers/checkpoint.ts";
import type { RestoreQuery } from "../wire/containers/checkpoint.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import type { z } from "../wire/zod.ts";
import { unsupported } from "./spec/unsupported.ts";
import { RequestError } from "../request_error.ts";

/** The type Podman gives an exported checkpoint. */
const ARCHIVE = "application/octet; charset=us-ascii";

/** Freezes a container; answers with a report, or with the archive that was asked for. */
export async function checkpointContainer(engine: Engine, name: string, query: CheckpointQuery): Promise<Response> {
  const { createImage, printStats, ...options } = query;
  if (createImage) throw unsupported("createImage", undefined, "Checkpoint container");
  const { id, duration, statistics, archive } = await engine.containers.checkpoints.checkpoint(name, options);
  if (archive) return new Response(archive, { headers: { "Content-Type": ARCHIVE } });
  return Response.json(emit(CheckpointReport, {
    Id: id,
    runtime_checkpoint_duration: printStats ? duration : 0,
    criu_statistics: printStats ? wireStatistics({ dump: statistics.dump }) : null,
  }));
}

/** Brings a container back: one that is here, or the one in the archive that is sent. */
export async function restoreContainer(
  engine: Engine,
  name: string,
  query: RestoreQuery,
  archive: ReadableStream<Uint8Array>,
): Promise<z.output<typeof RestoreReport>> {
  const { pod, printStats, import: isImport, name: newName, publishPorts = "", ...options } = query;
  if (pod && !isImport) {
    throw new RequestError("refused", "pod: only an archive is restored into a pod, and none was sent");
  }
  const { checkpoints } = engine.containers;
  if (!isImport) requireContainer(engine, name);
  const ports = publishPorts.split(/\s+/).filter((text) => text !== "").map(portMapping);
  const { id, duration, statistics } = isImport
    ? await checkpoints.import(archive, {
      ...options,
      name: newName || undefined,
      pod: pod || undefined,
      ...ports.length > 0 && { ports },
      fetchImage: (image) => fetchImage(engine, image),
    })
    : await checkpoints.restore(name, options);
  return emit(RestoreReport, {
    Id: id,
    runtime_restore_duration: printStats ? duration : 0,
    criu_statistics: printStats ? wireStatistics({ restore: statistics.restore }) : null,
  });
}

function requireContainer(engine: Engine, name: string): void {
  if (engine.containers.exists(name)) return;
  throw new RequestError("no_such_container", `failed to find container or checkpoint image ${name}`);
}

async function fetchImage(engine: Engine, name: string): Promise<void> {
  if (engine.images.exists(name)) return;
  for await (const _ of engine.images.pull(name)) { /* until it is there */ }
}

/** A port as `--publish` has it: `[[address:]port:]port[/protocol]`. */
function portMapping(text: string): PortMapping {
  const [, hostIP = "", hostPort = "", containerPort = "", protocol = "tcp"] =
    /^(?:(?:([\d.]+|\[[\da-f:]+\]):)?(\d*):)?(\d+)(?:\/(tcp|udp|sctp))?$/i.exec(text) ?? [];
  if (containerPort === "") throw new RequestError("malformed", `invalid port specification "${text}"`);
  return {
    hostIP: hostIP.replace(/[[\]]/g, ""),
    hostPort: Number(hostPort),
    containerPort: Number(containerPort),
    // The expression takes no other.
    protocol: protocol.toLowerCase() as PortMapping["protocol"],
    range: 1,
  };
}

function wireStatistics({ dump, restore }: Statistics): Sparse<z.output<typeof CRIUStatistics>> {
  return {
    freezing_time: dump?.freezingTime,
    frozen_time: dump?.frozenTime,
    memdump_time: dump?.memdumpTime,
    memwrite_time: dump?.memwriteTime,
    pages_scanned: dump?.pagesScanned,
    pages_written: dump?.pagesWritten,
    pages_compared: restore?.pagesCompared,
    pages_skipped_cow: restore?.pagesSkippedCow,
    forking_time: restore?.forkingTime,
    restore_time: restore?.restoreTime,
    pages_restored: restore?.pagesRestored,
  };
}
