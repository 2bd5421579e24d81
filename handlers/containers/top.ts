import type { Engine } from "../../lib/engine/engine.ts";
import type { ProcessTable } from "../../lib/engine/ports/host_port.ts";
import { ContainerTopOKBody } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import { pauseBetween } from "../pause_between.ts";
import { RequestError } from "../request_error.ts";

const SECOND = 1000;

/** How a list of processes is repeated. */
export interface TopOptions {
  /** Seconds from list to list. */
  delay?: number;
  /** Over and over; once by default. */
  stream?: boolean;
  signal: AbortSignal;
}

/** Lists what runs in a container, once, or over and over for a stream. An error at once is a status. */
export function listProcesses(
  engine: Engine,
  name: string,
  args: readonly string[],
  options: TopOptions,
): Promise<AsyncIterable<ContainerTopOKBody>> {
  return streamTables(() => engine.containers.top(name, args), options);
}

/** Sends tables of processes, the first at once: its error is a status. */
export async function streamTables(
  read: () => Promise<ProcessTable>,
  { delay = 5, stream = false, signal }: TopOptions,
): Promise<AsyncIterable<ContainerTopOKBody>> {
  if (delay < 1) throw new RequestError("malformed", `"delay" parameter of value ${delay} < 1`);
  const look = async () => {
    const { titles, rows } = await read();
    return emit(ContainerTopOKBody, { Titles: titles, Processes: rows });
  };
  const first = await look();
  return (async function* () {
    yield first;
    while (stream && await pauseBetween(delay * SECOND, signal)) yield await look();
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
