import type { Engine } from "../../lib/engine/engine.ts";
import { ContainerTopOKBody } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import { RequestError } from "../request_error.ts";

const SECOND = 1000;

/** Lists what runs in a container, once, or over and over for a stream. An error at once is a status. */
export async function listProcesses(
  engine: Engine,
  name: string,
  args: readonly string[],
  { delay = 5, stream = false, signal }: { delay?: number; stream?: boolean; signal: AbortSignal },
): Promise<AsyncIterable<ContainerTopOKBody>> {
  if (delay < 1) throw new RequestError("malformed", `"delay" parameter of value ${delay} < 1`);
  const look = async () => {
    const { titles, rows } = await engine.containers.top(name, args);
    return emit(ContainerTopOKBody, { Titles: titles, Processes: rows });
  };
  const first = await look();
  return (async function* () {
    yield first;
    while (stream && await sleepUnlessAborted(delay * SECOND, signal)) yield await look();
  })();
}

/**
 * Takes the arguments of older clients apart, which join them by commas: `-eo,pid,args` were `-eo` and `pid,args`. A comma
 * between two words neither of which is an option was there before.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  for (const word of text.split(",")) {
    const last = words.at(-1);
    const isOne = last !== undefined && !last.startsWith("-") && !word.startsWith("-");
    if (isOne) words[words.length - 1] = `${last},${word}`;
    else words.push(word);
  }
  return words;
}

/** Waits. Resolves with whether anybody waits for what comes then. */
function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
