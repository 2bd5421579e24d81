import { concatBytes } from "../../../oci/bytes/bytes.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { TerminalSize } from "../../records/spec_parts.ts";
import type { Attachment, Frame, Processes } from "../../ports/host_port.ts";
import { bringUp } from "../life/bring_up.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { DEFAULT_DETACH_KEYS, DetachScanner, parseDetachKeys } from "./detach_keys.ts";
import { improperState } from "../failures.ts";
import { readLogs } from "./logs.ts";
import { startForPod } from "../life/lifecycle.ts";
import { onProcess } from "../life/on_process.ts";
import type { AttachOptions } from "../options.ts";
import { invalid } from "../../errors.ts";

/** Attaches to a container, and brings it up first where it has no process, so that a start to come is seen whole. */
export async function attachContainer(
  context: Context,
  nameOrID: string,
  options: AttachOptions,
): Promise<Attachment> {
  requireHost(context.core);
  const streams = options.stream ?? true;
  if (!streams && !options.logs) throw invalid("must specify at least one of stream or logs", "invalid argument");
  const keys = parseDetachKeys(options.detachKeys ?? DEFAULT_DETACH_KEYS);
  const { id } = context.records.resolve(nameOrID);
  await startForPod(context, id);
  const record = await withContainerLock(context, id, () => makeAttachable(context, context.records.require(id)));
  emitEvent(context, record, "attach");
  const { stdin, stdout, stderr } = options;
  // Before the log is read: what comes meanwhile is in one of them at least.
  const live = streams ? await attachLive(context, id, { stdin, stdout, stderr }) : emptyAttachment();
  const log = options.logs ? logFrames(context, id, options) : undefined;
  const output = log === undefined ? live.output : prependFrames(log, live.output);
  // Without a terminal the input may be any bytes, those of the keys too.
  const input = record.spec.terminal ? detachOnKeys(live, keys) : live.input;
  const close = () => {
    // A client that is gone before its answer reads nothing, and the log is open already.
    log?.return(undefined).catch(() => {});
    live.close();
  };
  return { output, input, close };
}

/** Sets the size of a container's terminal. */
export function resizeContainer(context: Context, nameOrID: string, size: TerminalSize): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    context.warm.requireTaken({ id });
    const { status } = context.records.require(id).state;
    const detail = "can only resize created or running containers";
    if (status !== "initialized" && status !== "running") throw improperState(detail);
    await onProcess(context, id, detail, () => requireHost(context.core).processes.resize(id, size));
  });
}

async function makeAttachable(context: Context, record: ContainerRecord): Promise<ContainerRecord> {
  context.warm.requireTaken(record);
  const { status } = record.state;
  if (status === "created" || status === "exited") return await bringUp(context, record);
  if (status === "initialized" || status === "running") return record;
  throw improperState(notAttachable(status));
}

function attachLive(context: Context, id: string, streams: Parameters<Processes["attach"]>[1]): Promise<Attachment> {
  return onProcess(context, id, notAttachable("exited"), () => requireHost(context.core).processes.attach(id, streams));
}

function notAttachable(status: string): string {
  return `can only attach to created or running containers - currently in state ${status}`;
}

/** The log, lines of one stream that follow one another as one frame. */
async function* logFrames(context: Context, id: string, options: AttachOptions): AsyncGenerator<Frame> {
  if (context.records.get(id)?.log.driver === "none") return;
  const { stdout, stderr } = options;
  for await (const records of readLogs(context, id, { stdout, stderr, follow: false })) {
    for (let at = 0; at < records.length;) {
      const { stream } = records[at]!;
      const first = at;
      while (records[at]?.stream === stream) at++;
      yield { stream, data: concatBytes(records.slice(first, at).map(({ data }) => data)) };
    }
  }
}

/** Streams that have ended: for a caller who wants the log only, for one. */
export function emptyAttachment(): Attachment {
  const output = new ReadableStream<Frame>({ start: (controller) => controller.close() });
  return { output, input: new WritableStream(), close: () => {} };
}

function prependFrames(first: AsyncGenerator<Frame>, then: ReadableStream<Frame>): ReadableStream<Frame> {
  const reader = then.getReader();
  let isFirst = true;
  return new ReadableStream<Frame>({
    async pull(controller) {
      const next = isFirst ? await first.next() : await reader.read();
      if (!next.done) return controller.enqueue(next.value);
      if (!isFirst) return controller.close();
      isFirst = false;
      const rest = await reader.read();
      if (rest.done) controller.close();
      else controller.enqueue(rest.value);
    },
    async cancel(reason) {
      await first.return(undefined);
      await reader.cancel(reason);
    },
  });
}

/** A process's input, with the detach keys taken out. They end the attachment and leave the process's input open. */
export function detachOnKeys(live: Attachment, keys: Uint8Array): WritableStream<Uint8Array> {
  if (keys.length === 0) return live.input;
  const scanner = new DetachScanner(keys);
  const writer = live.input.getWriter();
  let isDetached = false;
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      if (isDetached) return;
      const { data, detached } = scanner.scan(chunk);
      if (data.length > 0) await writer.write(data);
      if (!detached) return;
      isDetached = true;
      live.close();
    },
    async close() {
      if (isDetached) return;
      const held = scanner.flush();
      if (held.length > 0) await writer.write(held);
      await writer.close();
    },
    async abort(reason) {
      if (!isDetached) await writer.abort(reason);
    },
  });
}
