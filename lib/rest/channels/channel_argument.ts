import { boundDepth } from "../codecs/json_depth.ts";
import type { Call } from "../run/call.ts";
import { mediaType } from "../codecs/codec.ts";
import type { Channel } from "../plan/marker.ts";
import { describeIssues, listIssues, type Schema } from "../plan/schema.ts";
import { duplexOf } from "../run/duplex_call.ts";
import { HTTPError } from "../error.ts";
import { LineSplitter } from "./line_splitter.ts";
import type { Plan } from "../plan/plan_types.ts";
import { RAW } from "./channel_body.ts";
import { readJSON } from "../codecs/json.ts";
import { streams } from "../run/streams.ts";
import { Turns } from "../codecs/turns.ts";

/** The longest line, in characters: a body may have many, and one is in memory at a time. */
const LONGEST = 4_194_304;

/** The names that lines of JSON go by, beside the operation's own. */
const TYPES: readonly string[] = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/**
 * Reads a channel that is an argument: the part of a server that receives them. The function gets the values of the body's lines, each
 * checked against the schema, no faster than it asks for them. The body has the operation's limit, as a stream has it, and
 * a line may have 4 Mi characters. Faults are thrown to the function, and are the answer unless it catches them: 400 for a line that
 * is no such value, with its number, and for a body that breaks off; 413 for what is too long. The rest of the body is
 * cancelled when the function leaves its loop, or has answered, or the peer goes away.
 *
 * @throws {HTTPError} 413 for a body that says it is too long, 415 for one of another type or coding
 *
 * @example
 * ```ts
 * import { api, chan, handlerWith, implement, int64, receiveChannel, rest } from "../server.ts";
 * const meter = api("meter.example.com", { Sum: rest("POST /sum", [chan(int64)], [int64]) });
 * const functions = implement(meter, {
 *   async Sum(readings) {
 *     let sum = 0n;
 *     for await (const reading of readings) sum += reading;
 *     return sum;
 *   },
 * });
 * const serve = handlerWith({ receive: receiveChannel }, null, functions);
 * const send = (body: string) => serve(new Request("http://localhost/sum", { method: "POST", body, headers }));
 * const headers = { "content-type": "application/x-ndjson" };
 * console.assert(await (await send("1\n2\n")).text() === "3");
 * console.assert((await send("1\ntwo\n")).status === 400);
 * ```
 */
export function receiveChannel(request: Request, plan: Plan, call: Call): Channel<unknown> {
  const duplex = duplexOf(call.platform);
  if (duplex) return duplex.receive(plan);
  refuseOthers(request, plan);
  const body = streams.read(request, plan.limit);
  const { signal } = call;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let left = false;
  const leave = () => {
    left = true;
    signal.removeEventListener("abort", leave);
    // A body that somebody else reads by now is theirs to end.
    if (reader || !body.locked) (reader ?? body).cancel().catch(() => {});
  };
  signal.addEventListener("abort", leave, { once: true });
  const { forget } = call;
  call.forget = () => {
    forget?.();
    leave();
  };
  const read = async () => {
    if (left) throw signal.reason ?? new Error("Read a channel: the call is over");
    reader ??= body.getReader();
    const step = await reader.read();
    // A body that is cancelled looks as if it had ended.
    if (left && step.done) throw signal.reason ?? new Error("Read a channel: the call is over");
    return step;
  };
  return Object.assign(makeChannel(readValues(read, plan), leave), { [RAW]: body });
}

/** Makes the channel of values that come. `leave`, which is called when the function leaves it, ends their wait. */
export function makeChannel(values: AsyncIterator<unknown, void>, leave: () => void): Channel<unknown> {
  let closed = false;
  const close = () => {
    closed = true;
    leave();
  };
  const iterator: AsyncIterator<unknown, void> = {
    async next() {
      try {
        const step = closed ? END : await values.next();
        return closed ? END : step;
      } catch (error) {
        // Its own close is what ends the wait of a function.
        if (closed) return END;
        throw error;
      }
    },
    return() {
      close();
      return Promise.resolve(END);
    },
  };
  return { close, [Symbol.asyncIterator]: () => iterator };
}

const END: IteratorResult<unknown, void> = { done: true, value: undefined };

function refuseOthers({ headers, body }: Request, plan: Plan): void {
  const given = headers.get("content-type");
  const types = [...new Set([mediaType(plan.body?.contentType ?? TYPES[0]), ...TYPES])];
  if (given && !plan.asTagged && !types.includes(mediaType(given))) {
    const accept = types.join(", ");
    throw new HTTPError(415, `Read the body: "${mediaType(given)}" is not one of ${accept}`, {
      kind: "media",
      headers: { accept },
    });
  }
  const coding = headers.get("content-encoding");
  if (body && coding && coding !== "identity") {
    throw new HTTPError(415, `Read the body: it is encoded as "${coding}", which is not one of identity`, {
      kind: "media",
      headers: { "accept-encoding": "identity" },
    });
  }
}

async function* readValues(
  read: () => Promise<ReadableStreamReadResult<Uint8Array>>,
  plan: Plan,
): AsyncGenerator<unknown, void> {
  const longest = Math.min(plan.limit, LONGEST);
  const splitter = new LineSplitter("\n", longest);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const turns = new Turns();
  let line = 0;
  for (let done = false; !done;) {
    const step = await read().catch((cause) => {
      throw cause instanceof HTTPError ? cause : wrongValue(placeOf(line + 1), "the body was cut short", { cause });
    });
    done = step.done;
    for (const text of splitLines(splitter, decoder, step, line, longest)) {
      line++;
      if (text.length > longest) throw tooLong(line, longest);
      const turn = turns.due();
      if (turn) await turn;
      if (text.trim() !== "") yield readValue(text, plan, placeOf(line));
    }
  }
}

function splitLines(
  splitter: LineSplitter,
  decoder: TextDecoder,
  { done, value }: ReadableStreamReadResult<Uint8Array>,
  line: number,
  longest: number,
): string[] {
  try {
    const lines = splitter.push(decoder.decode(value, { stream: !done }));
    return done ? [...lines, splitter.end()] : lines;
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLong(line + 1, longest);
    throw wrongValue(placeOf(line + 1), "it is not UTF-8", { cause });
  }
}

const placeOf = (line: number) => `line ${line} of the body`;

/**
 * Reads the JSON of a value that came in a channel, and checks it.
 *
 * @param place The words for where it came from
 * @throws {HTTPError} 400
 */
export async function readValue(text: string, { body }: Plan, place: string): Promise<unknown> {
  let value: unknown;
  try {
    value = readJSON(boundDepth(text), body?.kind);
  } catch (cause) {
    throw wrongValue(place, cause instanceof Error ? cause.message : "it is not JSON", { cause });
  }
  // A plan with a channel has the schema of its values.
  const validated = await (body!.item as Schema)["~standard"].validate(value);
  if (!validated.issues) return validated.value;
  throw wrongValue(place, describeIssues(validated.issues), { issues: listIssues(validated.issues, "body") });
}

function wrongValue(place: string, detail: string, more: ConstructorParameters<typeof HTTPError>[2]): HTTPError {
  return new HTTPError(400, `Read ${place}: ${detail}`, { kind: "body", ...more });
}

function tooLong(line: number, longest: number): HTTPError {
  return new HTTPError(413, `Read line ${line} of the body: it is longer than ${longest} characters`, {
    kind: "limit",
  });
}
