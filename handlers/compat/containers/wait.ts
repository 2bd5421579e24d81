import type { Engine } from "../../../lib/engine/engine.ts";
import type { WaitCondition } from "../../../lib/engine/containers/options.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { badParameter } from "../../errors.ts";
import { ContainerWaitOKBody } from "../../wire/compat/container.ts";
import { emit } from "../../wire/emit.ts";
import { errorText } from "../../images/pull_progress.ts";

const CONDITIONS: Record<string, WaitCondition> = {
  "": "not-running",
  "not-running": "not-running",
  "next-exit": "next-exit",
  removed: "removed",
};

/**
 * Waits for a container. The head of the reply goes out at once, so that a client knows its wait is in place before it
 * starts the container; the body follows at the end.
 */
export function compatWaitContainer(
  engine: Engine,
  name: string,
  condition: string,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const known = CONDITIONS[condition];
  if (known === undefined) throw badParameter("condition", condition, "invalid condition");
  // An unknown container is a status, not a body.
  engine.containers.resolve(name);
  const stop = new AbortController();
  const code = engine.containers.wait(name, [known], { signal: AbortSignal.any([signal, stop.signal]) });
  // It may fail before anybody reads it.
  code.catch(() => {});
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(encoder.encode(`${JSON.stringify(await body(code))}\n`));
      controller.close();
    },
    cancel: () => stop.abort(),
  });
}

async function body(code: Promise<number>): Promise<ContainerWaitOKBody> {
  try {
    return emit(ContainerWaitOKBody, { StatusCode: await code, Error: null });
  } catch (error) {
    const Message = error instanceof EngineError ? errorText(error) : "Internal error";
    return emit(ContainerWaitOKBody, { StatusCode: -1, Error: { Message } });
  }
}
